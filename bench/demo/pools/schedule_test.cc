// SPDX-License-Identifier: Apache-2.0
// A schedule is the load that was asked for, in order, with its bursts, and the same for a seed.
#include "schedule.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft::demo {
namespace {

using std::chrono::microseconds;

TEST(Schedule, IsTheLoadThatWasAskedForWhateverTheSeed) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Load load;
    load.cores = 0.8;
    load.seed = seed;
    EXPECT_EQ(job_starts(load).size(), 600U);  // 0.8 cores x 3 s / 4 ms
  }
}

TEST(Schedule, IsInOrderAndWithinItsLength) {
  const Load load;
  const auto starts = job_starts(load);
  EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
  EXPECT_GE(starts.front(), microseconds(0));
  EXPECT_LT(starts.back(), load.length);
}

TEST(Schedule, IsTheSameForTheSameSeedOnly) {
  Load load;
  const auto first = job_starts(load);
  EXPECT_EQ(job_starts(load), first);
  load.seed = 2;
  EXPECT_NE(job_starts(load), first);
}

// The most jobs that begin within the width of a burst.
std::size_t most_at_once(const Load& load) {
  const auto starts = job_starts(load);
  std::size_t most = 0;
  for (auto from = starts.begin(); from != starts.end(); ++from) {
    const auto to = std::upper_bound(from, starts.end(), *from + load.burst_width);
    most = std::max(most, static_cast<std::size_t>(to - from));
  }
  return most;
}

TEST(Schedule, HasItsBursts) {
  Load load;
  EXPECT_GE(most_at_once(load), load.burst_size);
  load.burst_size = 0;
  EXPECT_LT(most_at_once(load), 16U);  // a Poisson process has one each 5 ms
}

TEST(Schedule, HasNoMoreBurstsThanFit) {
  Load load;
  load.length = std::chrono::milliseconds(100);  // shorter than the interval of the bursts
  load.cores = 0.8;
  EXPECT_EQ(job_starts(load).size(), 20U);
  load.length = std::chrono::milliseconds(750);
  load.cores = 0.01;  // 2 jobs, fewer than a burst
  EXPECT_EQ(job_starts(load).size(), 2U);
}

}  // namespace
}  // namespace weft::demo
