// SPDX-License-Identifier: Apache-2.0
// What the runs of one server have shown, as text for people.
#include "summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text.h"
#include "bench/statistics.h"
#include "bench/table.h"

namespace weft::demo {
namespace {

using Figure = std::function<double(const Trial&)>;

// What is nearer to 1 is not told as a difference.
constexpr double least_difference = 0.03;
// From here on a CPU counts as the limit.
constexpr double fully_busy = 0.93;
// Below that on both CPUs, somebody else has them.
constexpr double half_busy = 0.5;

std::vector<double> values_of(const Comparison& comparison, Side side, const Figure& figure) {
  std::vector<double> values;
  for (const Trial& trial : comparison.of(side)) values.push_back(figure(trial));
  return values;
}

double median_of(const Comparison& comparison, Side side, const Figure& figure) {
  return bench::median(values_of(comparison, side, figure));
}

// weft / native within each round; the interval is from the lowest to the highest.
bench::Interval ratio_of(const Comparison& comparison, const Figure& figure) {
  const std::vector<double> ratios = bench::ratios(values_of(comparison, Side::weft, figure),
                                                   values_of(comparison, Side::native, figure));
  if (ratios.empty()) return {1, 1, 1};
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  return {bench::median(ratios), *low, *high};
}

enum class Change { lower, unclear, higher };

// A change is told only where every round shows it.
Change change_of(const bench::Interval& ratio) {
  if (std::abs(ratio.median - 1) < least_difference) return Change::unclear;
  if (ratio.high < 1) return Change::lower;
  return ratio.low > 1 ? Change::higher : Change::unclear;
}

const std::string no_difference = "No clear difference.";

std::string times(double ratio) {
  return fmt::format("{:.1f} times", ratio);
}

std::string about_requests(const bench::Interval& ratio) {
  switch (change_of(ratio)) {
    case Change::higher:
      return ratio.median >= 1.15 ? fmt::format("{} as many are answered.", times(ratio.median))
                                  : "A little more is answered.";
    case Change::lower:
      return "Fewer are answered: weft is slower here.";
    case Change::unclear:
      return "No clear difference: weft is not faster here.";
  }
  return {};
}

std::string about_latency(const bench::Interval& ratio, const std::string& who) {
  switch (change_of(ratio)) {
    case Change::lower:
      return fmt::format("{} takes {:.2f} of the time.", who, ratio.median);
    case Change::higher:
      return fmt::format("{} takes {} as long: a price of weft.", who, times(ratio.median));
    case Change::unclear:
      return no_difference;
  }
  return {};
}

std::string about_cpu(const bench::Interval& ratio) {
  const double percent = 100 * std::abs(1 - ratio.median);
  switch (change_of(ratio)) {
    case Change::lower:
      return fmt::format("Each costs {:.0f} % less CPU time, the kernel's included.", percent);
    case Change::higher:
      return fmt::format("Each costs {:.0f} % more CPU time.", percent);
    case Change::unclear:
      return no_difference;
  }
  return {};
}

std::string about_switches(const bench::Interval& ratio) {
  switch (change_of(ratio)) {
    case Change::lower:
      return "Waiting threads change places without the kernel.";
    case Change::higher:
      return "The kernel switches more often than without weft.";
    case Change::unclear:
      return no_difference;
  }
  return {};
}

std::string about_threads(double native, double weft) {
  if (weft < native) {
    return "The kernel schedules so many; the others sleep.";
  }
  return "As many for the kernel to schedule as without weft.";
}

std::string count_text(double value) {
  return base::to_text(value, value < 100 ? 1 : 0);
}

std::string milliseconds(double value) {
  return base::to_text(value, value < 1 ? 3 : value < 100 ? 2 : 0) + " ms";
}

std::string percent_of(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

struct Row {
  const char* name;
  Figure figure;
  std::string (*text)(double);
  std::string sentence;
};

std::vector<Row> rows_of(const Comparison& comparison) {
  const auto ratio = [&](const Figure& figure) { return ratio_of(comparison, figure); };
  const Figure p50 = &Trial::p50_milliseconds;
  const Figure p99 = &Trial::p99_milliseconds;
  const Figure ran = [](const Trial& trial) { return trial.server.threads_ran; };
  return {
      {"requests/s", &Trial::requests_per_second, count_text,
       about_requests(ratio(&Trial::requests_per_second))},
      {"P50", p50, milliseconds, about_latency(ratio(p50), "The usual request")},
      {"P99", p99, milliseconds, about_latency(ratio(p99), "The slowest hundredth")},
      {"server CPU a request", &Trial::cpu_microseconds,
       [](double value) { return fmt::format("{:.1f} us", value); },
       about_cpu(ratio(&Trial::cpu_microseconds))},
      {"kernel switches a request", &Trial::switches,
       [](double value) { return fmt::format("{:.3f}", value); },
       about_switches(ratio(&Trial::switches))},
      {"kernel threads that ran", ran, [](double value) { return fmt::format("{:.0f}", value); },
       about_threads(median_of(comparison, Side::native, ran),
                     median_of(comparison, Side::weft, ran))},
  };
}

}  // namespace

std::string to_table(const Comparison& comparison) {
  using Align = bench::TextTable::Align;
  bench::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::left});
  table.add({fmt::format("{}, {} connections", comparison.name, comparison.connections), "native",
             "weft", "weft/native", "what it means"});
  for (const Row& row : rows_of(comparison)) {
    table.add({row.name, row.text(median_of(comparison, Side::native, row.figure)),
               row.text(median_of(comparison, Side::weft, row.figure)),
               fmt::format("{:.2f}", ratio_of(comparison, row.figure).median), row.sentence});
  }
  return table.text();
}

std::string explain_limit(const Comparison& comparison) {
  const auto busy = [&](Side side, double (Trial::*share)() const) {
    return median_of(comparison, side, share);
  };
  const double native_server = busy(Side::native, &Trial::server_busy);
  const double native_client = busy(Side::native, &Trial::client_busy);
  const double weft_server = busy(Side::weft, &Trial::server_busy);
  const double weft_client = busy(Side::weft, &Trial::client_busy);
  std::string text =
      fmt::format("CPU of the server busy {} natively, {} under weft; of the client {} and {}.\n",
                  percent_of(native_server), percent_of(weft_server), percent_of(native_client),
                  percent_of(weft_client));
  if (std::max(native_server, native_client) < half_busy ||
      std::max(weft_server, weft_client) < half_busy) {
    text +=
        "Neither was the limit: other work has the CPUs. The kernel deals out shares by thread, "
        "so\n"
        "that many threads get more of them than one worker; requests/s and times say little "
        "then.\n"
        "CPU time and switches a request still hold.\n";
  } else if (weft_client > fully_busy && weft_server < fully_busy) {
    text += "Under weft the client is the limit: the server had CPU time to spare.\n";
  }
  return text;
}

std::string to_line(const Trial& trial) {
  return fmt::format("{:>8} requests/s   P99 {:>9}   {:>6.1f} us CPU each",
                     count_text(trial.requests_per_second()), milliseconds(trial.p99_milliseconds),
                     trial.cpu_microseconds());
}

}  // namespace weft::demo
