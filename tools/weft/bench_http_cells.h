// SPDX-License-Identifier: Apache-2.0
// What `weft bench http` measures: suites of cells, who is measured in each, and the bars.
//
// Words
//   contender   a server as it is started, and who loads it; a fresh process in each round
//   cell        one load, and the contenders that are given it in turn
//   suite       cells that answer one question; --only chooses by their names
//   void        a run whose generator was late or short of CPU; it is never quoted
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/row.h"
#include "bench_http_measurement.h"
#include "bench_http_peers.h"

namespace weft::tool {

enum class HttpGenerator : std::uint8_t { weft, wrk, h2load };

struct HttpContender {
  std::string name;
  HttpServerKind kind = HttpServerKind::weft;
  std::vector<std::string> options{};  // of `weft serve`
  std::string policy{};                // of ours: left out where `weft serve` does not know it
  HttpGenerator generator = HttpGenerator::weft;
  unsigned idle_connections = 0;  // held open meanwhile
};

struct HttpLoad {
  std::vector<std::string> targets;  // paths; "95=/path" in a mix
  unsigned connections = 64;         // closed: just so many; open: so many are ready
  double seconds = 2;                // of a closed loop
  std::string segments{};            // of an open one, for `weft load --schedule`; empty: closed
  bool new_connections = false;      // one for each request
  double timeout_seconds = 10;
};

using HttpNumber = double HttpMeasurement::*;

// How a comparison is judged.
enum class HttpRule : std::uint8_t {
  information,
  median,      // the median of the ratio clears the bar
  not_behind,  // not worse than the rival: the interval is not wholly on the wrong side of the bar
  upper_end,   // the upper end of the interval clears the bar
  both_sides,  // the ratio is at most the bar, and at least one over it
};

// A row of the report: ours beside a rival in the same rounds.
struct HttpComparison {
  std::string ours;
  std::string rival;  // empty: none, and the bar is on ours
  HttpNumber number = &HttpMeasurement::p99;
  std::string title{};  // "P99 in the burst"
  std::string unit = "ms";
  HttpRule rule = HttpRule::information;
  std::optional<bench::Bar> bar{};
};

struct HttpCell {
  std::string suite;
  std::string name;  // with the suite's: "burst, 5 ms sleep"
  HttpLoad load;
  std::vector<HttpContender> contenders;
  std::vector<HttpComparison> comparisons{};
  bool is_quick = false;   // part of --quick
  bool is_traced = false;  // one more run of each, watched, for the plots
};

// All of them, in the order in which they run. `quick`: with short loads.
std::vector<HttpCell> http_cells(bool quick);

// The original's pool.
inline constexpr unsigned http_fixed_workers = 8;
std::string fixed_name(unsigned workers);
HttpContender fixed_of(unsigned workers);
HttpContender policy_of(const std::string& policy);  // 8 to 128 workers
HttpContender peer_of(HttpServerKind kind);

}  // namespace weft::tool
