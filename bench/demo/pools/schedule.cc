// SPDX-License-Identifier: Apache-2.0
// When requests arrive.
#include "schedule.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace weft::demo {
namespace {

using std::chrono::microseconds;

// From 0 to `end`, every moment equally likely; the same on every standard library.
microseconds draw(std::mt19937_64& generator, microseconds end) {
  const double share = std::ldexp(static_cast<double>(generator() >> 11), -53);
  return microseconds(static_cast<std::int64_t>(share * static_cast<double>(end.count())));
}

}  // namespace

std::vector<microseconds> job_starts(const Load& load) {
  const double seconds = std::chrono::duration<double>(load.length).count();
  const double cost_seconds = std::chrono::duration<double>(load.job_cost).count();
  const auto total = static_cast<std::size_t>(std::llround(load.cores * seconds / cost_seconds));

  std::mt19937_64 generator(load.seed);
  std::vector<microseconds> starts;
  starts.reserve(total);
  for (microseconds slot{0}; slot + load.burst_interval <= load.length;
       slot += load.burst_interval) {
    // Not at the end of the slot, so that two bursts do not become one.
    const microseconds first = slot + draw(generator, load.burst_interval / 2);
    for (std::size_t number = 0; number < load.burst_size && starts.size() < total; ++number) {
      starts.push_back(first + load.burst_width * number / load.burst_size);
    }
  }
  // The arrivals of a Poisson process, given how many there are, lie anywhere.
  while (starts.size() < total) starts.push_back(draw(generator, load.length));
  std::sort(starts.begin(), starts.end());
  return starts;
}

}  // namespace weft::demo
