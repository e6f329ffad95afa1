// SPDX-License-Identifier: Apache-2.0
// The suites of the original, latency, scale and burst, and the list of all.
#include "bench_http_cells.h"

#include "bench_http_ceilings.h"
#include "bench_http_matrix.h"

namespace weft::tool {
namespace {

using Kind = HttpServerKind;
using Rule = HttpRule;
using Measured = HttpMeasurement;

constexpr unsigned fixed_workers = http_fixed_workers;

// A burst's P99 beside the others', and what it is worth nothing without.
std::vector<HttpComparison> burst_comparisons() {
  const std::string title = "P99 in the burst";
  const auto number = &Measured::burst_p99;
  std::vector<HttpComparison> list = {
      {"adaptive", fixed_name(fixed_workers), number, title, "ms", Rule::median,
       bench::ratio_at_most(0.5)},
      {"adaptive", fixed_name(fixed_workers), number, title + ", upper end", "ms", Rule::upper_end,
       bench::ours_at_most(0.7)},
  };
  for (const Kind kind : {Kind::apache_worker, Kind::apache_event, Kind::node, Kind::go}) {
    list.push_back({"adaptive", name_of(kind), number, title, "ms", Rule::not_behind,
                    bench::ratio_at_most(1)});
  }
  for (const char* const policy : {"adaptive-inline", "adaptive-monitor"}) {
    list.push_back({policy, fixed_name(fixed_workers), number, title});
  }
  for (const char* const other : {"fibers", "coroutines", "thread-per-connection"}) {
    list.push_back({"adaptive", other, number, title});
  }
  list.push_back({"adaptive", fixed_name(fixed_workers), &Measured::goodput, "goodput", "/s"});
  list.push_back({"adaptive", fixed_name(fixed_workers), &Measured::recovery, "time to recover"});
  return list;
}

// The original's: quiet, a hundred at a time, cool-down; three times, without most of the quiet.
// A hundred come within 20 ms: nobody can send so many in one instant, and the slip would show it.
std::string burst_segments(bool quick) {
  const std::string spike = R"({"rate":5000,"length":"20ms","uniform":true,"phase":"burst"},)"
                            R"({"rate":0,"length":"310ms","uniform":true,"phase":"burst"},)";
  const std::string cycle = R"({"rate":200,"length":"700ms"},)" + spike + spike + spike +
                            R"({"rate":200,"length":"500ms","phase":"recovery"})";
  return quick ? "[" + cycle + "]" : "[" + cycle + "," + cycle + "," + cycle + "]";
}

void add_bursts(std::vector<HttpCell>& cells, bool quick) {
  std::vector<HttpContender> policies = {fixed_of(fixed_workers)};
  for (const char* const policy : {"adaptive-inline", "adaptive-monitor", "adaptive"}) {
    policies.push_back(policy_of(policy));
  }
  std::vector<HttpContender> everybody = policies;
  for (const char* const policy : {"fibers", "coroutines", "thread-per-connection"}) {
    everybody.push_back({.name = policy, .options = {"--policy", policy}, .policy = policy});
  }
  for (const Kind kind : {Kind::apache_worker, Kind::apache_event, Kind::node, Kind::go}) {
    everybody.push_back(peer_of(kind));
  }
  for (const int sleep : {5, 50}) {
    const std::string text = std::to_string(sleep);
    cells.push_back({.suite = "burst",
                     .name = "burst, " + text + " ms sleep",
                     .load = {.targets = {"/_/sleep/" + text},
                              .connections = 120,
                              .segments = burst_segments(quick)},
                     .contenders = everybody,
                     .comparisons = burst_comparisons(),
                     .is_quick = sleep == 5,
                     .is_traced = true});
  }
  // Its handler took less than a millisecond, and each request a connection of its own. This one
  // has work enough for a spike to make a queue.
  cells.push_back({.suite = "burst",
                   .name = "burst, as the original: 500 us CPU, no keep-alive",
                   .load = {.targets = {"/_/cpu/500"},
                            .connections = 0,
                            .segments = burst_segments(quick),
                            .new_connections = true},
                   .contenders = policies,
                   .comparisons = {{"adaptive-inline", fixed_name(fixed_workers),
                                    &Measured::burst_p99, "no better, P99 in the burst", "ms",
                                    Rule::not_behind, bench::ratio_at_least(1)},
                                   {"adaptive-monitor", fixed_name(fixed_workers),
                                    &Measured::burst_p99, "P99 in the burst"},
                                   {"adaptive", fixed_name(fixed_workers), &Measured::burst_p99,
                                    "P99 in the burst"}},
                   .is_traced = true});
}

std::vector<HttpContender> all_models() {
  std::vector<HttpContender> list = {fixed_of(fixed_workers), policy_of("adaptive")};
  for (const char* const policy : {"fibers", "coroutines", "thread-per-connection"}) {
    list.push_back({.name = policy, .options = {"--policy", policy}, .policy = policy});
  }
  for (const Kind kind : {Kind::apache_worker, Kind::apache_event, Kind::node, Kind::go}) {
    list.push_back(peer_of(kind));
  }
  return list;
}

std::vector<HttpComparison> against_all(HttpNumber number, const char* title, const char* unit) {
  std::vector<HttpComparison> list;
  for (const HttpContender& contender : all_models()) {
    if (contender.name != "adaptive") {
      list.push_back({"adaptive", contender.name, number, title, unit});
    }
  }
  return list;
}

void add_latency(std::vector<HttpCell>& cells, bool quick) {
  for (const auto& [name, target] :
       {std::pair{"50 us CPU", "/_/cpu/50"}, {"5 ms sleep", "/_/sleep/5"}}) {
    cells.push_back({.suite = "latency",
                     .name = std::string("latency, one connection, ") + name,
                     .load = {.targets = {target}, .connections = 1, .seconds = quick ? 0.5 : 2},
                     .contenders = all_models(),
                     .comparisons = against_all(&Measured::p99, "P99", "ms")});
  }
}

void add_scale(std::vector<HttpCell>& cells, bool quick) {
  for (const auto& [name, target] :
       {std::pair{"50 us CPU", "/_/cpu/50"}, {"5 ms sleep", "/_/sleep/5"}}) {
    for (unsigned connections = 1; connections <= 128; connections *= 2) {
      cells.push_back(
          {.suite = "scale",
           .name = std::string("scale, ") + name + ", c" + std::to_string(connections),
           .load = {.targets = {target}, .connections = connections, .seconds = quick ? 0.5 : 1},
           .contenders = all_models(),
           .comparisons = {{"adaptive", fixed_name(fixed_workers), &Measured::goodput,
                            "requests a second", "/s"}}});
    }
  }
}

}  // namespace

std::string fixed_name(unsigned workers) {
  return "fixed " + std::to_string(workers);
}

HttpContender fixed_of(unsigned workers) {
  return {.name = fixed_name(workers),
          .options = {"--policy", "fixed", "--workers", std::to_string(workers)},
          .policy = "fixed"};
}

HttpContender peer_of(HttpServerKind kind) {
  return {.name = name_of(kind), .kind = kind};
}

HttpContender policy_of(const std::string& policy) {
  return {.name = policy,
          .options = {"--policy", policy, "--workers", std::to_string(fixed_workers),
                      "--max-workers", "128"},
          .policy = policy};
}

std::vector<HttpCell> http_cells(bool quick) {
  std::vector<HttpCell> cells;
  add_bursts(cells, quick);
  add_ceilings(cells, quick);
  add_steady(cells, quick);
  add_idle(cells, quick);
  add_crosscheck(cells, quick);
  add_latency(cells, quick);
  add_scale(cells, quick);
  add_matrix(cells, quick);
  return cells;
}

}  // namespace weft::tool
