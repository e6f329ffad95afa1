// SPDX-License-Identifier: Apache-2.0
// Panels one below the other; those over time share their axis, and bursts are shaded in each.
#include "load/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "load/plot_panel.h"

namespace weft::load {
namespace {

constexpr double picture_width = 900;
constexpr double panel_left = 76;
constexpr double panel_width = picture_width - panel_left - 24;
constexpr double gap = 64;  // between panels: ticks below, a title above

// Light by default, dark where the reader's system is.
constexpr const char* style = R"(<style>
svg { background: #ffffff; font-family: system-ui, sans-serif; }
.title { font-size: 15px; font-weight: 600; fill: #1c2024; }
.tick { font-size: 12px; fill: #57606a; }
.grid { stroke: #d8dee4; stroke-width: 1; fill: none; }
.burst { fill: #f2a60033; }
.all, .burst-line, .between, .thin { fill: none; stroke-width: 2; stroke-linejoin: round; }
.all { stroke: #0550ae; }
.burst-line { stroke: #bc4c00; }
.between { stroke: #1a7f37; }
.thin { stroke: #8250df; stroke-width: 1.5; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; }
  .title { fill: #e6edf3; }
  .tick { fill: #9da7b1; }
  .grid { stroke: #2b323b; }
  .burst { fill: #d2992240; }
  .all { stroke: #6cb6ff; }
  .burst-line { stroke: #f69d50; }
  .between { stroke: #6bc46d; }
  .thin { stroke: #b392f0; }
}
</style>
)";

double seconds_of(nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

struct Latencies {
  std::vector<nanoseconds> all;
  std::vector<nanoseconds> in_bursts;
  std::vector<nanoseconds> between;
};

Latencies sorted_latencies(const Report& report, nanoseconds timeout) {
  Latencies latencies;
  for (const Sample& sample : report.samples) {
    if (!is_served(sample.outcome)) continue;
    const nanoseconds latency = latency_of(sample, timeout);
    latencies.all.push_back(latency);
    const bool is_burst = report.phases[sample.phase].kind == PhaseKind::burst;
    (is_burst ? latencies.in_bursts : latencies.between).push_back(latency);
  }
  for (auto* row : {&latencies.all, &latencies.in_bursts, &latencies.between}) {
    std::sort(row->begin(), row->end());
  }
  return latencies;
}

// From below nearly all to above the largest, at least a decade.
Axis latency_axis(const std::vector<nanoseconds>& ascending) {
  if (ascending.empty()) return {1e3, 1e6, true};
  const double low = std::max(1.0, static_cast<double>(quantile(ascending, 0.01).count()) * 0.8);
  const double high = static_cast<double>(ascending.back().count()) * 1.3;
  return {low, std::max(high, low * 10), true};
}

// Quantiles up to what so many values can have.
Points quantile_points(const std::vector<nanoseconds>& ascending) {
  Points points;
  if (ascending.empty()) return points;
  const double most = std::min(1e4, static_cast<double>(ascending.size()));
  constexpr int points_a_decade = 50;
  const int count = static_cast<int>(std::log10(most / 2) * points_a_decade + 1e-6);
  for (int i = 0; i <= count; ++i) {
    const double one_in = 2 * std::pow(10, static_cast<double>(i) / points_a_decade);
    points.emplace_back(one_in, static_cast<double>(quantile(ascending, 1 - 1 / one_in).count()));
  }
  return points;
}

std::string quantile_panel(const Latencies& latencies, const Panel::Place& place) {
  Panel panel(place, {2, 1e4, true}, latency_axis(latencies.all));
  panel.title("Latency from the intended start, by quantile");
  panel.ticks_across({{2, "P50"}, {10, "P90"}, {100, "P99"}, {1e3, "P99.9"}, {1e4, "P99.99"}});
  panel.ticks_up(time_ticks(latency_axis(latencies.all)));
  if (!latencies.in_bursts.empty()) {
    panel.line(quantile_points(latencies.between), "between");
    panel.line(quantile_points(latencies.in_bursts), "burst-line");
    panel.legend({{"all", "all"}, {"in bursts", "burst-line"}, {"between", "between"}});
  }
  panel.line(quantile_points(latencies.all), "all");
  return panel.text();
}

// The run in equal parts, by intended start.
struct Windows {
  double seconds = 1;  // of each
  Points p50;
  Points p99;
  Points offered;
  Points good;
};

Windows windows_of(const Report& report, nanoseconds timeout) {
  constexpr double most_windows = 150;
  constexpr double shortest = 0.01;
  const double length = std::max(seconds_of(report.length), shortest);
  Windows windows;
  windows.seconds = std::max(length / most_windows, shortest);
  const auto count = static_cast<std::size_t>(std::ceil(length / windows.seconds));
  std::vector<std::vector<nanoseconds>> latencies(count);
  std::vector<double> offered(count);
  std::vector<double> good(count);
  for (const Sample& sample : report.samples) {
    const double at = std::max(0.0, seconds_of(sample.intended) / windows.seconds);
    const std::size_t index = std::min(static_cast<std::size_t>(at), count - 1);
    offered[index] += 1 / windows.seconds;
    if (sample.outcome == Outcome::good) good[index] += 1 / windows.seconds;
    if (is_served(sample.outcome)) latencies[index].push_back(latency_of(sample, timeout));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double begin = static_cast<double>(i) * windows.seconds;
    std::sort(latencies[i].begin(), latencies[i].end());
    const auto at = [&](double share) {
      return latencies[i].empty() ? std::numeric_limits<double>::quiet_NaN()
                                  : static_cast<double>(quantile(latencies[i], share).count());
    };
    windows.p50.emplace_back(begin + windows.seconds / 2, at(0.5));
    windows.p99.emplace_back(begin + windows.seconds / 2, at(0.99));
    windows.offered.emplace_back(begin, offered[i]);
    windows.good.emplace_back(begin, good[i]);
  }
  return windows;
}

double largest(const Points& points) {
  double most = 1;
  for (const auto& [across, up] : points) most = std::max(most, up);
  return most;
}

// An empty panel over time, with its bursts.
Panel time_panel(const Report& report, const Panel::Place& place, const Axis& up,
                 const std::vector<Tick>& ticks, const std::string& title) {
  const Axis across{0, std::max(seconds_of(report.length), 0.01)};
  Panel panel(place, across, up);
  constexpr std::size_t most_shades = 2000;
  if (report.phases.size() <= most_shades) {
    for (const Phase& phase : report.phases) {
      if (phase.kind != PhaseKind::burst) continue;
      panel.shade(seconds_of(phase.begin), seconds_of(phase.end), phase.name);
    }
  }
  panel.title(title);
  auto seconds = number_ticks(across);
  for (Tick& tick : seconds) tick.text += " s";
  panel.ticks_across(seconds);
  panel.ticks_up(ticks);
  return panel;
}

}  // namespace

std::string to_svg(const Report& report, nanoseconds timeout,
                   const std::vector<Overlay>& overlays) {
  const Latencies latencies = sorted_latencies(report, timeout);
  const Windows windows = windows_of(report, timeout);
  std::string panels;
  double top = gap;
  const auto next_place = [&top](double height) {
    const Panel::Place place{panel_left, top, panel_width, height};
    top += height + gap;
    return place;
  };
  panels += quantile_panel(latencies, next_place(300));

  const Axis up = latency_axis(latencies.all);
  Panel over_time = time_panel(
      report, next_place(220), up, time_ticks(up),
      "Latency over time, in windows of " + base::to_text(windows.seconds * 1e3, 0) + " ms");
  over_time.line(windows.p50, "between");
  over_time.line(windows.p99, "burst-line");
  over_time.legend({{"P50", "between"}, {"P99", "burst-line"}});
  panels += over_time.text();

  const Axis rate{0, largest(windows.offered) * 1.1};
  Panel rates = time_panel(report, next_place(140), rate, number_ticks(rate),
                           "Requests a second, by intended start");
  rates.steps(windows.offered, "all");
  rates.steps(windows.good, "between");
  rates.legend({{"offered", "all"}, {"answered well", "between"}});
  panels += rates.text();

  for (const Overlay& overlay : overlays) {
    Points points;
    for (const auto& point : overlay.points) points.emplace_back(point.seconds, point.value);
    const Axis values{0, largest(points) * 1.1};
    Panel panel = time_panel(report, next_place(140), values, number_ticks(values), overlay.name);
    panel.steps(points, "thin");
    panels += panel.text();
  }
  const std::string width = base::to_text(picture_width, 0);
  const std::string height = base::to_text(top - gap / 2, 0);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
         "\" viewBox=\"0 0 " + width + " " + height + "\" role=\"img\">\n" +
         "<title>weft load: latency by quantile and over time</title>\n" + style + panels +
         "</svg>\n";
}

}  // namespace weft::load
