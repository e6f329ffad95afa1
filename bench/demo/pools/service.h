// SPDX-License-Identifier: Apache-2.0
// A small service, as many are: a pool of threads for jobs that compute, and one thread that
// answers pings, as an I/O loop answers health checks, heartbeats and whatever is quickly done.
//
// Arrivals are open-loop: they come when the schedule says, however busy the service is, and a
// latency counts from the intended start. The threads of the pool take the jobs themselves, in
// order, and sleep until the one they took is due; that is what a queue in front of the pool would
// do, without a thread that feeds it and needs CPU time too.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "measurement.h"

namespace weft::demo {

struct ServiceOptions {
  unsigned threads = 1;  // of the pool
  std::vector<std::chrono::microseconds> job_starts;
  std::uint64_t job_iterations = 0;
  std::uint64_t ping_iterations = 0;
  std::chrono::microseconds ping_interval{5'000};
};

// Serves the schedule to its end, in this process and where it is.
Measurement serve(const ServiceOptions& options);

}  // namespace weft::demo
