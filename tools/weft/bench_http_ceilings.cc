// SPDX-License-Identifier: Apache-2.0
// The suites static, hello, idle, steady and crosscheck.
#include "bench_http_ceilings.h"

namespace weft::tool {
namespace {

using Kind = HttpServerKind;
using Rule = HttpRule;
using Measured = HttpMeasurement;


HttpContender loaded_by_wrk(HttpContender contender) {
  contender.generator = HttpGenerator::wrk;
  return contender;
}

// A ceiling, as each of the two generators sees it.
void add_ceiling(std::vector<HttpCell>& cells, const HttpCell& cell) {
  cells.push_back(cell);
  HttpCell other = cell;
  other.name += ", by wrk";
  other.is_quick = false;
  for (HttpContender& contender : other.contenders) contender = loaded_by_wrk(contender);
  // The same in the other generator's eyes, for information.
  for (HttpComparison& comparison : other.comparisons) {
    comparison.rule = Rule::information;
    comparison.bar.reset();
  }
  cells.push_back(other);
}

HttpComparison rate_beside(Kind kind, double least) {
  return {.ours = "weft",
          .rival = name_of(kind),
          .number = &Measured::goodput,
          .title = "requests a second",
          .unit = "/s",
          .rule = least > 0 ? Rule::median : Rule::information,
          .bar = least > 0 ? std::optional(bench::ratio_at_least(least)) : std::nullopt};
}

// What the rate would be by, if the generator took no time.
HttpComparison cpu_beside(Kind kind) {
  return {.ours = "weft",
          .rival = name_of(kind),
          .number = &Measured::server_us,
          .title = "the server's CPU for each",
          .unit = "us"};
}

}  // namespace

void add_ceilings(std::vector<HttpCell>& cells, bool quick) {
  const HttpContender ours = {.name = "weft", .options = {"--policy", "adaptive"}};
  for (const unsigned connections : {64U, 512U}) {
    const HttpLoad load = {
        .targets = {http_file_path}, .connections = connections, .seconds = quick ? 0.5 : 3};
    add_ceiling(cells,
                {.suite = "static",
                 .name = "static, 4 KiB file, c" + std::to_string(connections),
                 .load = load,
                 .contenders = {ours, peer_of(Kind::nginx), peer_of(Kind::go),
                                peer_of(Kind::apache_event), peer_of(Kind::apache_worker)},
                 .comparisons = {rate_beside(Kind::nginx, 1.0), cpu_beside(Kind::nginx),
                                 rate_beside(Kind::go, 3.0), rate_beside(Kind::apache_event, 0),
                                 rate_beside(Kind::apache_worker, 0)},
                 .is_quick = connections == 64});
  }
  for (const unsigned connections : {64U, 512U}) {
    add_ceiling(
        cells,
        {.suite = "hello",
         .name = "hello, a short string, c" + std::to_string(connections),
         .load = {.targets = {"/_/hello"}, .connections = connections, .seconds = quick ? 0.5 : 3},
         .contenders = {ours, peer_of(Kind::nginx), peer_of(Kind::bare_loop), peer_of(Kind::go),
                        peer_of(Kind::node), peer_of(Kind::apache_event)},
         .comparisons = {
             rate_beside(Kind::nginx, 1.2),
             cpu_beside(Kind::nginx),
             rate_beside(Kind::bare_loop, 0),
             {"bare loop", name_of(Kind::nginx), &Measured::goodput, "requests a second", "/s"},
             rate_beside(Kind::go, 0),
             rate_beside(Kind::node, 0),
             rate_beside(Kind::apache_event, 0)}});
  }
}

void add_idle(std::vector<HttpCell>& cells, bool quick) {
  const unsigned count = quick ? 500 : 10'000;
  const std::string name = "idle, " + std::to_string(count) + " connections, ";
  const auto idle_beside = [count](HttpContender contender) {
    contender.name += " with idle ones";
    contender.idle_connections = count;
    return contender;
  };
  const HttpContender calm = policy_of("adaptive");
  const HttpContender ours = idle_beside(calm);
  cells.push_back({.suite = "idle",
                   .name = name + "P99 of the active",
                   // Long enough for the generator's slip to be a small part of it.
                   .load = {.targets = {"/_/cpu/500"},
                            .connections = 16,
                            .segments = quick ? R"([{"rate":500,"length":"500ms"}])"
                                              : R"([{"rate":1000,"length":"4s"}])"},
                   .contenders = {calm, ours},
                   .comparisons = {{ours.name, calm.name, &Measured::p99, "P99", "ms", Rule::median,
                                    bench::ratio_at_most(1.1)}}});
  // Memory does not depend on the load, so it has the least there is, of which no run is void.
  HttpCell memory{.suite = "idle",
                  .name = name + "memory",
                  .load = {.targets = {"/_/hello"}, .connections = 1, .seconds = 0.2},
                  .contenders = {ours},
                  .comparisons = {{ours.name, "", &Measured::idle_bytes, "memory for each", "bytes",
                                   Rule::median, bench::ours_at_most(8192)}},
                  .is_quick = true};
  for (const Kind kind : {Kind::nginx, Kind::go, Kind::node, Kind::apache_event}) {
    if (quick) break;
    memory.contenders.push_back(idle_beside(peer_of(kind)));
    memory.comparisons.push_back({ours.name, memory.contenders.back().name, &Measured::idle_bytes,
                                  "memory for each", "bytes"});
  }
  cells.push_back(memory);
}

void add_steady(std::vector<HttpCell>& cells, bool quick) {
  const std::string length = quick ? "500ms" : "4s";
  const auto open = [&](const char* target, int rate) {
    return HttpLoad{
        .targets = {target},
        .connections = 64,
        .segments = "[{\"rate\":" + std::to_string(rate) + ",\"length\":\"" + length + "\"}]"};
  };
  const auto closed = [&](const char* target) {
    return HttpLoad{.targets = {target}, .connections = 16, .seconds = quick ? 0.5 : 3};
  };
  const auto p99_at_most = [](const std::string& rival, double most) {
    return HttpComparison{
        "adaptive", rival, &Measured::p99, "P99", "ms", Rule::median, bench::ratio_at_most(most)};
  };
  const auto rate_at_least = [](const std::string& rival, double least) {
    return HttpComparison{
        "adaptive", rival,        &Measured::goodput,          "requests a second",
        "/s",       Rule::median, bench::ratio_at_least(least)};
  };
  const std::vector<HttpContender> two = {fixed_of(http_fixed_workers), policy_of("adaptive")};
  cells.push_back({.suite = "steady",
                   .name = "steady, 200 us CPU, 2500 a second",
                   .load = open("/_/cpu/200", 2500),
                   .contenders = two,
                   .comparisons = {p99_at_most(fixed_name(http_fixed_workers), 1.02)},
                   .is_quick = true});
  cells.push_back({.suite = "steady",
                   .name = "steady, 200 us CPU, as fast as it goes",
                   .load = closed("/_/cpu/200"),
                   .contenders = two,
                   .comparisons = {rate_at_least(fixed_name(http_fixed_workers), 0.98)}});
  // What is left of that where the handler takes hardly more than the server itself.
  cells.push_back({.suite = "steady",
                   .name = "steady, 50 us CPU, as fast as it goes",
                   .load = closed("/_/cpu/50"),
                   .contenders = two,
                   .comparisons = {{"adaptive", fixed_name(http_fixed_workers), &Measured::goodput,
                                    "requests a second", "/s"}}});
  std::vector<HttpContender> sizes = {policy_of("adaptive")};
  std::vector<HttpComparison> p99s;
  std::vector<HttpComparison> rates;
  for (const unsigned workers : {1U, 2U, 4U, 8U, 16U}) {
    sizes.push_back(fixed_of(workers));
    p99s.push_back(p99_at_most(fixed_name(workers), 1.03));
    rates.push_back(rate_at_least(fixed_name(workers), 0.97));
  }
  cells.push_back(
      {"steady", "steady, 2 ms CPU, 250 a second", open("/_/cpu/2000", 250), sizes, p99s});
  cells.push_back(
      {"steady", "steady, 2 ms CPU, as fast as it goes", closed("/_/cpu/2000"), sizes, rates});
}

void add_crosscheck(std::vector<HttpCell>& cells, bool quick) {
  HttpContender ours = fixed_of(http_fixed_workers);
  ours.name = "weft load";
  HttpContender theirs = ours;
  theirs.name = "h2load";
  theirs.generator = HttpGenerator::h2load;
  cells.push_back(
      {.suite = "crosscheck",
       .name = "crosscheck, 50 at once each 100 ms, 5 ms sleep",
       .load = {.targets = {"/_/sleep/5"},
                .connections = 50,
                .seconds = quick ? 0.5 : 5,
                .segments = std::string(R"([{"rate":500,"together":50,"uniform":true,)") +
                            R"("length":")" + (quick ? "500ms" : "5s") + "\"}]"},
       .contenders = {ours, theirs},
       .comparisons = {{"weft load", "h2load", &Measured::p99, "P99", "ms", Rule::both_sides,
                        bench::ratio_at_most(1.1)}}});
}

}  // namespace weft::tool
