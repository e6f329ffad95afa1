// SPDX-License-Identifier: Apache-2.0
// What one run of a service has shown, and several runs together.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "bench/child.h"

namespace weft::demo {

// One run, or several runs put together.
struct Measurement {
  std::vector<double> job_milliseconds;   // from the intended start to the end
  std::vector<double> ping_milliseconds;  // likewise
  double seconds = 0;                     // until the last job was done
  unsigned threads = 0;                   // of the pool
  double periods = 0;                     // of the quota in which the process ran
  double throttled_periods = 0;           // of these, how many ran out of it
  double throttled_seconds = 0;           // summed over CPUs

  double jobs_per_second() const;
  double throttled_share() const;

  // Adds a run of the same pool.
  void add(const Measurement& other);
};

// As numbers that a measuring child can give back, and the way back.
bench::Numbers to_numbers(const Measurement& measurement);
base::Result<Measurement> from_numbers(const bench::Numbers& numbers);

}  // namespace weft::demo
