// SPDX-License-Identifier: Apache-2.0
// Panels of lines, one for each contender, with a legend below.
#include "bench_http_plots.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "bench/statistics.h"
#include "load/plot_panel.h"

namespace weft::tool {
namespace {

using load::Axis;
using load::Panel;
using load::Points;
using load::Tick;

constexpr double picture_width = 900;
constexpr double panel_left = 76;
constexpr double panel_width = picture_width - panel_left - 24;
constexpr double panel_height = 260;
constexpr double gap = 64;
constexpr double nanoseconds = 1e6;  // in a millisecond: the ticks of time are in these

struct Line {
  std::string name;
  Points points;
};

std::string style_of(std::size_t line) {
  return "line" + std::to_string(line % http_line_styles);
}

// From below the lowest to above the highest value.
Axis axis_of(const std::vector<Line>& lines, bool is_logarithmic) {
  double low = INFINITY;
  double high = 0;
  for (const Line& line : lines) {
    for (const auto& [across, up] : line.points) {
      if (!std::isfinite(up) || up <= 0) continue;
      low = std::min(low, up);
      high = std::max(high, up);
    }
  }
  if (high == 0) return is_logarithmic ? Axis{1, 10, true} : Axis{0, 1, false};
  if (!is_logarithmic) return {0, high * 1.1, false};
  return {low * 0.8, std::max(high * 1.25, low * 8), true};
}

struct Picture {
  std::string panels{};
  double top = 34;

  Panel::Place next() {
    const Panel::Place place{panel_left, top, panel_width, panel_height};
    top += panel_height + gap;
    return place;
  }
  void add(const std::string& title, const std::vector<Line>& lines, const Axis& across,
           const std::vector<Tick>& ticks_across, bool has_times, bool steps = false) {
    const Axis up = axis_of(lines, has_times);
    Panel panel(next(), across, up);
    panel.title(title);
    panel.ticks_across(ticks_across);
    panel.ticks_up(has_times ? load::time_ticks(up) : load::number_ticks(up));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      steps ? panel.steps(lines[i].points, style_of(i)) : panel.line(lines[i].points, style_of(i));
    }
    panels += panel.text();
  }
  std::string text(const std::string& title) const {
    const std::string size =
        base::to_text(picture_width, 0) + " " + base::to_text(top - gap + 30, 0);
    return "<svg viewBox=\"0 0 " + size +
           "\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">\n" + "<title>" +
           load::escaped(title) + "</title>\n" + panels + "</svg>\n";
  }
};

std::string legend_of(const std::vector<Line>& lines) {
  std::string text = "<p class=\"legend\">";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += "<span><svg class=\"key\" viewBox=\"0 0 24 8\" aria-hidden=\"true\"><path class=\"" +
            style_of(i) + "\" d=\"M0 4h24\"/></svg> " + load::escaped(lines[i].name) + "</span> ";
  }
  return text + "</p>\n";
}

Points in_nanoseconds(Points points) {
  for (auto& [across, up] : points) up *= nanoseconds;
  return points;
}

std::vector<Tick> second_ticks(const Axis& axis) {
  auto ticks = load::number_ticks(axis);
  for (Tick& tick : ticks) tick.text += " s";
  return ticks;
}

}  // namespace

std::vector<std::pair<double, double>> p99_over_time(const std::vector<HttpSample>& samples,
                                                     double window_seconds) {
  std::map<int, std::vector<double>> windows;
  for (const HttpSample& sample : samples) {
    if (!sample.is_good) continue;
    windows[static_cast<int>(sample.intended / window_seconds)].push_back(sample.latency);
  }
  Points points;
  for (const auto& [index, latencies] : windows) {
    points.emplace_back((index + 0.5) * window_seconds, bench::quantile(latencies, 0.99));
  }
  return points;
}

std::vector<std::pair<double, double>> latency_by_quantile(const std::vector<HttpSample>& samples,
                                                           bool only_in_bursts) {
  std::vector<double> latencies;
  for (const HttpSample& sample : samples) {
    if (sample.is_good && (sample.is_in_burst || !only_in_bursts)) {
      latencies.push_back(sample.latency);
    }
  }
  Points points;
  if (latencies.empty()) return points;
  std::sort(latencies.begin(), latencies.end());
  constexpr double points_a_decade = 20;
  const auto count = static_cast<double>(latencies.size());
  // Up to what so many values can have.
  for (double power = 0; 2 * std::pow(10, power / points_a_decade) <= count; ++power) {
    const double one_in = 2 * std::pow(10, power / points_a_decade);
    const auto index = static_cast<std::size_t>(std::ceil((1 - 1 / one_in) * count)) - 1;
    points.emplace_back(one_in, latencies[index]);
  }
  return points;
}

std::string plot_traces(const HttpSamples& samples) {
  std::vector<Line> quantiles;
  std::vector<Line> p99s;
  std::vector<Line> workers;
  double length = 0.1;
  for (std::size_t i = 0; i < samples.traces.size(); ++i) {
    const HttpTrace& trace = samples.traces[i];
    const std::string& name = samples.cell.contenders[i].name;
    quantiles.push_back({name, in_nanoseconds(latency_by_quantile(trace.samples, true))});
    p99s.push_back({name, in_nanoseconds(p99_over_time(trace.samples))});
    // Threads of the peers are something else, and Apache's 640 would leave no room for ours.
    const bool is_ours = samples.cell.contenders[i].kind == HttpServerKind::weft;
    workers.push_back({name, is_ours ? trace.workers : Points{}});
    for (const HttpSample& sample : trace.samples) length = std::max(length, sample.intended);
  }
  if (quantiles.empty()) return "";
  Picture picture;
  picture.add("Latency in the bursts, from the intended start, by quantile", quantiles,
              {2, 1e3, true}, {{2, "P50"}, {10, "P90"}, {100, "P99"}, {1e3, "P99.9"}}, true);
  const Axis time{0, length};
  picture.add("P99 over time, in windows of 100 ms", p99s, time, second_ticks(time), true);
  picture.add("Workers of ours over time (of a pool its threads; without one, all threads)",
              workers, time, second_ticks(time), false, true);
  return legend_of(quantiles) + picture.text(samples.cell.name);
}

std::string plot_scale(const std::vector<HttpSamples>& all, const std::string& title) {
  std::vector<Line> rates;
  std::vector<Line> p99s;
  std::vector<Tick> ticks;
  for (const HttpSamples& samples : all) {
    if (samples.cell.suite != "scale" || !samples.cell.name.starts_with(title)) continue;
    const double connections = samples.cell.load.connections;
    ticks.push_back({connections, "c" + base::to_text(connections, 0)});
    for (std::size_t i = 0; i < samples.cell.contenders.size(); ++i) {
      const std::string& name = samples.cell.contenders[i].name;
      if (i >= rates.size()) {
        rates.push_back({name, {}});
        p99s.push_back({name, {}});
      }
      rates[i].points.emplace_back(connections, samples.median_of(i, &HttpMeasurement::goodput));
      p99s[i].points.emplace_back(connections,
                                  samples.median_of(i, &HttpMeasurement::p99) * nanoseconds);
    }
  }
  if (ticks.empty()) return "";
  const Axis across{ticks.front().value * 0.9, std::max(ticks.back().value, 2.0) * 1.1, true};
  Picture picture;
  picture.add(title + ": requests a second, by connections", rates, across, ticks, false);
  picture.add(title + ": P99, by connections", p99s, across, ticks, true);
  return legend_of(rates) + picture.text(title);
}

}  // namespace weft::tool
