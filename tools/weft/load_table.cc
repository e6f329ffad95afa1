// SPDX-License-Identifier: Apache-2.0
// The report of `weft load` for people.
#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "load.h"

namespace weft::tool {
namespace {

using std::chrono::nanoseconds;

double seconds_of(nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// Three digits that count, in the unit that fits.
std::string time_text(nanoseconds time) {
  const double value = static_cast<double>(time.count());
  const auto with = [](double number, const char* unit) {
    const int decimals = number < 10 ? 2 : number < 100 ? 1 : 0;
    return fmt::format("{:.{}f} {}", number, decimals, unit);
  };
  if (value < 999.5e3) return with(value / 1e3, "us");
  if (value < 999.5e6) return with(value / 1e6, "ms");
  return with(value / 1e9, "s");
}

std::string row(const std::string& name, const load::Quantiles& of) {
  if (of.count == 0) return "";
  const auto enough = [&](nanoseconds time, std::uint64_t least) {
    return of.count >= least ? time_text(time) : std::string("-");  // fewer cannot have such a one
  };
  return fmt::format("  {:<22}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", name, of.count,
                     time_text(of.p50), time_text(of.p90), enough(of.p99, 100),
                     enough(of.p999, 1000), enough(of.p9999, 10000), time_text(of.max));
}

std::string quantile_table(const load::Summary& summary, bool is_closed) {
  std::string text = fmt::format("\n  {:<22}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n",
                                 is_closed ? "latency from the send" : "latency", "count", "P50",
                                 "P90", "P99", "P99.9", "P99.99", "max");
  text += row("served", summary.served);
  if (!summary.bursts.empty()) {
    text += row("  in bursts", summary.in_bursts);
    text += row("  between bursts", summary.between);
  }
  text += row("rejected (4xx, 5xx)", summary.rejected);
  text += row("first byte", summary.first_byte);
  text += row("connecting", summary.connect);
  text += row("slip", summary.slip);
  return text;
}

std::string burst_table(const load::Summary& summary) {
  if (summary.bursts.empty()) return "";
  std::string text = fmt::format("\n  {:<22}{:>10}{:>10}{:>10}{:>10}{:>14}\n", "", "count", "P50",
                                 "P99", "max", "recovered in");
  constexpr std::size_t most_rows = 20;
  for (std::size_t i = 0; i < std::min(summary.bursts.size(), most_rows); ++i) {
    const load::BurstSummary& burst = summary.bursts[i];
    text += fmt::format("  {:<22}{:>10}{:>10}{:>10}{:>10}{:>14}\n", burst.name, burst.served.count,
                        time_text(burst.served.p50), time_text(burst.served.p99),
                        time_text(burst.served.max),
                        burst.recovery ? time_text(*burst.recovery) : "not seen");
  }
  if (summary.bursts.size() > most_rows) {
    text += fmt::format("  and {} more, see --json\n", summary.bursts.size() - most_rows);
  }
  return text;
}

std::string count_lines(const load::Summary& summary) {
  std::string text = "\n  ended   ";
  const char* separator = "";
  for (std::size_t i = 0; i < load::outcome_count; ++i) {
    if (summary.counts[i] == 0) continue;
    text += fmt::format("{}{} {}", separator, summary.counts[i],
                        load::name_of(static_cast<load::Outcome>(i)));
    separator = ", ";
  }
  text += "\n  status  ";
  separator = "";
  for (const auto& [status, count] : summary.statuses) {
    text += fmt::format("{}{} x {}", separator, count, status);
    separator = ", ";
  }
  return text + (summary.statuses.empty() ? "none\n" : "\n");
}

std::string usage_line(const load::Report& report) {
  const double time = seconds_of(report.usage.wall) * report.usage.threads;
  const auto percent = [time](nanoseconds part) {
    return time > 0 ? seconds_of(part) / time * 100 : 0;
  };
  std::string text =
      fmt::format("  generator  {} thread{}, {:.0f} % at work", report.usage.threads,
                  report.usage.threads == 1 ? "" : "s", load::work_share(report.usage) * 100);
  if (report.usage.spinning > nanoseconds{0}) {
    text += fmt::format(", {:.0f} % spinning on purpose", percent(report.usage.spinning));
  }
  return text + fmt::format(", waited for a CPU {:.1f} %, {} connections opened\n",
                            percent(report.usage.waited), report.connections);
}

}  // namespace

std::string load_table(const load::Plan& plan, const load::Report& report) {
  const load::Summary& summary = report.summary;
  std::string text;
  if (plan.closed) {
    text = fmt::format("closed loop, {} connections, {:.2f} s: {:.0f} requests a second\n",
                       plan.closed->connections, seconds_of(report.length), summary.answered_rate);
  } else {
    text = fmt::format("open loop, {} requests in {:.2f} s, seed {}\n", report.samples.size(),
                       seconds_of(report.length), report.seed);
    text += fmt::format("  rate    {:.1f} a second offered, {:.1f} answered, {:.1f} good\n",
                        summary.offered_rate, summary.answered_rate, summary.goodput);
  }
  text += quantile_table(summary, plan.closed.has_value());
  text += burst_table(summary);
  text += count_lines(summary);
  text += usage_line(report);
  if (summary.waited_for_connection != 0) {
    text += fmt::format("  note: {} requests waited for a free connection, see --connections\n",
                        summary.waited_for_connection);
  }
  for (const std::string& note : report.check.notes) text += "  note: " + note + "\n";
  for (const std::string& reason : report.check.void_because) text += "  VOID: " + reason + "\n";
  if (report.was_stopped) text += "  note: the run was stopped before its end\n";
  return text;
}

}  // namespace weft::tool
