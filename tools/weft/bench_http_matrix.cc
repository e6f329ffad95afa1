// SPDX-License-Identifier: Apache-2.0
// Handlers with the rates that suit one CPU, arrivals as multiples of them, and the sums.
#include "bench_http_matrix.h"

#include <algorithm>
#include <limits>

namespace weft::tool {
namespace {

using Measured = HttpMeasurement;

struct Handler {
  const char* name;
  std::vector<std::string> targets;
  int rate;  // requests a second; ten times of it is what one CPU can still do
};

const std::vector<Handler>& handlers() {
  static const std::vector<Handler> table = {
      {"50 us CPU", {"/_/cpu/50"}, 1000},
      {"2 ms CPU", {"/_/cpu/2000"}, 40},
      {"5 ms sleep", {"/_/sleep/5"}, 200},
      {"50 ms sleep", {"/_/sleep/50"}, 100},
      {"95/5 mix", {"95=/_/cpu/50", "5=/_/sleep/50"}, 300},
  };
  return table;
}

struct Arrivals {
  const char* name;
  std::string (*segments)(int rate);
};

std::string segment(int rate, const char* length, const char* more = "") {
  return "{\"rate\":" + std::to_string(rate) + ",\"length\":\"" + length + "\"" + more + "}";
}

std::string burst(int rate, const char* length) {
  return "[" + segment(rate, "1s") + "," + segment(10 * rate, length, ",\"phase\":\"burst\"") +
         "," + segment(rate, "1s", ",\"phase\":\"recovery\"") + "]";
}

constexpr Arrivals all_arrivals[] = {
    {"steady", [](int rate) { return "[" + segment(5 * rate, "3s") + "]"; }},
    {"10x for 20 ms", [](int rate) { return burst(rate, "20ms"); }},
    {"10x for 200 ms", [](int rate) { return burst(rate, "200ms"); }},
    {"10x for 2 s", [](int rate) { return burst(rate, "2s"); }},
    {"ramp",
     [](int rate) {
       return "[" + segment(rate, "3s", (",\"to\":" + std::to_string(10 * rate)).c_str()) + "]";
     }},
};

constexpr unsigned fixed_sizes[] = {2, 4, 8, 16, 32, 64};
constexpr const char* monitor_handler = "50 ms sleep";

}  // namespace

void add_matrix(std::vector<HttpCell>& cells, bool quick) {
  std::vector<HttpContender> policies;
  for (const unsigned workers : fixed_sizes) policies.push_back(fixed_of(workers));
  for (const char* const policy : {"adaptive-inline", "adaptive-monitor", "adaptive"}) {
    policies.push_back(policy_of(policy));
  }
  for (const char* const policy : {"fibers", "coroutines"}) {
    policies.push_back({.name = policy, .options = {"--policy", policy}, .policy = policy});
  }
  for (const Handler& handler : handlers()) {
    for (const Arrivals& arrivals : all_arrivals) {
      HttpCell cell{.suite = "matrix",
                    .name = std::string("matrix, ") + handler.name + ", " + arrivals.name,
                    .load = {.targets = handler.targets,
                             .connections = 64,
                             .segments = quick ? "[" + segment(handler.rate, "300ms") + "]"
                                               : arrivals.segments(handler.rate),
                             .timeout_seconds = 1},
                    .contenders = policies,
                    .comparisons = {{"adaptive", fixed_name(8), &Measured::asked_p99, "P99"}}};
      // Where the monitor that looks every 100 ms helps, and where not.
      if (handler.name == std::string(monitor_handler)) {
        cell.comparisons.push_back(
            {"adaptive-monitor", fixed_name(8), &Measured::asked_p99, "P99"});
      }
      cells.push_back(std::move(cell));
    }
  }
}

HttpMatrixSums matrix_sums(const std::vector<HttpSamples>& all) {
  HttpMatrixSums result;
  for (const HttpSamples& samples : all) {
    if (samples.cell.suite != "matrix") continue;
    std::vector<HttpMatrixSum> medians;
    double best = std::numeric_limits<double>::infinity();
    bool is_whole = true;
    for (std::size_t i = 0; i < samples.cell.contenders.size(); ++i) {
      const double median = samples.median_of(i, &Measured::asked_p99);
      is_whole = is_whole && median > 0;  // not where it is NaN
      best = std::min(best, median);
      medians.push_back({samples.cell.contenders[i].name, median});
    }
    if (!is_whole || (!result.sums.empty() && result.sums.size() != medians.size())) {
      ++result.left_out;
      continue;
    }
    if (result.sums.empty()) {
      for (const HttpMatrixSum& median : medians) result.sums.push_back({median.policy, 0});
    }
    ++result.cells;
    for (std::size_t i = 0; i < medians.size(); ++i) result.sums[i].sum += medians[i].sum / best;
  }
  return result;
}

void add_matrix_rows(const std::vector<HttpSamples>& all, bench::Report& report) {
  const HttpMatrixSums sums = matrix_sums(all);
  if (sums.left_out > 0) {
    report.notes.push_back("matrix: " + std::to_string(sums.left_out) +
                           " cells are not in the sums, as somebody's runs were all void there");
  }
  const auto ours = std::find_if(sums.sums.begin(), sums.sums.end(),
                                 [](const auto& sum) { return sum.policy == "adaptive"; });
  if (ours == sums.sums.end()) return;
  for (const HttpMatrixSum& sum : sums.sums) {
    if (sum.policy == "adaptive") continue;
    const bool is_fixed = sum.policy.starts_with("fixed");
    report.rows.push_back(
        bench::make_row("matrix, sum of P99 ratios", ours->sum, "", sum.sum, sum.policy,
                        is_fixed ? std::optional(bench::ratio_at_most(1)) : std::nullopt));
  }
  report.notes.push_back("matrix, sum of P99 ratios: over " + std::to_string(sums.cells) +
                         " cells, each policy's median P99 over the best policy's; what was "
                         "refused counts with the time-out of 1 s");
}

}  // namespace weft::tool
