// SPDX-License-Identifier: Apache-2.0
// When requests arrive: drawn by lot once, the same for every pool, and whatever the pool does.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace weft::demo {

struct Load {
  double cores = 0.85;                        // that all jobs together use on average
  std::chrono::microseconds job_cost{4'000};  // CPU time of one
  std::chrono::microseconds length{3'000'000};
  std::size_t burst_size = 60;  // jobs that come all at once, …
  std::chrono::microseconds burst_width{5'000};
  std::chrono::microseconds burst_interval{750'000};  // … once in each of these, at a drawn time
  std::uint64_t seed = 1;
};

// The intended start of each job, in order, from 0 to `length`. Between the bursts a Poisson
// process, drawn given its number of arrivals, so that every seed is the same amount of work.
std::vector<std::chrono::microseconds> job_starts(const Load& load);

}  // namespace weft::demo
