// SPDX-License-Identifier: Apache-2.0
// A load on a pool: a handler and how its jobs arrive; run once on a fresh pool.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <weft/pool.h>

namespace weft::pool_bench {

using std::chrono::nanoseconds;

enum class Arrivals {
  ceiling,  // as fast as the pool takes them
  steady,   // one after the other, evenly
  burst,    // 100 at once, and again when these are done and it was quiet
};

struct Load {
  std::string name;
  nanoseconds computes{0};
  nanoseconds sleeps{0};
  Arrivals arrivals = Arrivals::steady;
  double rate = 0;       // steady: jobs a second
  bool is_cold = false;  // burst: one, on a pool that has seen nothing
};

std::vector<Load> all_loads();

struct Result {
  double throughput = 0;  // jobs a second
  // Microseconds, from when the job should have been submitted.
  double median_wait = 0;  // to its start
  double p99_wait = 0;
  double p99_total = 0;  // to its end
  PoolCounters counters;
};

// About as long as `time`.
Result run(const Load& load, const PoolOptions& options, nanoseconds time);

}  // namespace weft::pool_bench
