// SPDX-License-Identifier: Apache-2.0
// weft-bench-pool: every policy on the same loads, interleaved in one process, as ratios to
// `fixed`.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <weft/pool.h>

#include "bench/statistics.h"
#include "bench/table.h"
#include "load.h"

namespace weft::pool_bench {
namespace {

constexpr const char* usage =
    "weft-bench-pool [--rounds N] [--milliseconds N] [--load PART] [--cpus N]\n"
    "  Rounds of every policy on every load whose name has PART in it; prints medians, and ratios\n"
    "  to the policy fixed, of eight threads, in the same round.\n";

constexpr Policy policies[] = {Policy::fixed, Policy::adaptive_inline, Policy::adaptive_monitor,
                               Policy::adaptive};

struct Settings {
  unsigned rounds = 7;
  unsigned milliseconds = 300;
  unsigned cpus = 0;  // 0: the budget
  std::string part;
};

bool parse(int count, char** arguments, Settings& settings) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    const auto number = static_cast<unsigned>(std::strtoul(arguments[i + 1], nullptr, 10));
    if (name == "--load") {
      settings.part = arguments[i + 1];
    } else if (name == "--rounds" && number != 0) {
      settings.rounds = number;
    } else if (name == "--milliseconds" && number != 0) {
      settings.milliseconds = number;
    } else if (name == "--cpus") {
      settings.cpus = number;
    } else {
      return false;
    }
  }
  return count % 2 == 1;
}

using Values = std::map<Policy, std::vector<double>>;
struct Cell {
  Values throughput, median_wait, p99_wait, p99_total, threads;
};

std::string shown(double number, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

std::string ratio(const Values& values, Policy policy) {
  const auto ratios = bench::ratios(values.at(policy), values.at(Policy::fixed));
  const bench::Interval interval = bench::median_interval(ratios, 1);
  return shown(interval.median, "%.2f") + " (" + shown(interval.low, "%.2f") + " to " +
         shown(interval.high, "%.2f") + ")";
}

Cell measure(const Load& load, const Settings& settings) {
  Cell cell;
  for (unsigned round = 0; round < settings.rounds; ++round) {
    for (std::size_t i = 0; i < std::size(policies); ++i) {
      // A B C D, then D C B A.
      const Policy policy = policies[round % 2 == 0 ? i : std::size(policies) - 1 - i];
      const Result result = run(load,
                                {.policy = policy,
                                 .minimum = 8,
                                 .maximum = policy == Policy::fixed ? 8U : 128U,
                                 .cpus = settings.cpus},
                                std::chrono::milliseconds(settings.milliseconds));
      cell.throughput[policy].push_back(result.throughput);
      cell.median_wait[policy].push_back(result.median_wait);
      cell.p99_wait[policy].push_back(result.p99_wait);
      cell.p99_total[policy].push_back(result.p99_total);
      cell.threads[policy].push_back(result.counters.threads);
    }
  }
  return cell;
}

int run_all(const Settings& settings) {
  using Align = bench::TextTable::Align;
  bench::TextTable table({Align::left, Align::left, Align::right, Align::right, Align::right,
                          Align::right, Align::right, Align::right, Align::right});
  table.add({"load", "policy", "jobs/s", "to fixed", "P50 wait us", "P99 wait us", "P99 total us",
             "to fixed", "threads"});
  for (const Load& load : all_loads()) {
    if (load.name.find(settings.part) == std::string::npos) continue;
    const Cell cell = measure(load, settings);
    for (const Policy policy : policies) {
      table.add(
          {policy == Policy::fixed ? load.name : "", to_string(policy),
           shown(bench::median(cell.throughput.at(policy)), "%.0f"), ratio(cell.throughput, policy),
           shown(bench::median(cell.median_wait.at(policy)), "%.1f"),
           shown(bench::median(cell.p99_wait.at(policy)), "%.0f"),
           shown(bench::median(cell.p99_total.at(policy)), "%.0f"), ratio(cell.p99_total, policy),
           shown(bench::median(cell.threads.at(policy)), "%.0f")});
    }
  }
  std::fputs(table.text().c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace weft::pool_bench

int main(int count, char** arguments) {
  weft::pool_bench::Settings settings;
  if (!weft::pool_bench::parse(count, arguments, settings)) {
    std::fputs(weft::pool_bench::usage, stderr);
    return 2;
  }
  return weft::pool_bench::run_all(settings);
}
