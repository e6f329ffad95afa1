// SPDX-License-Identifier: Apache-2.0
// Deadlines of both clocks, and those that make no sense.
#include "sync/deadline.h"

#include <gtest/gtest.h>

#include <limits>

#include "sync/test_threads.h"

namespace weft::sync {
namespace {

using testing::in;
using testing::invalid_deadline;
using namespace std::chrono_literals;

TEST(DeadlineTest, NoneIsNever) {
  EXPECT_EQ(Deadline::none.park_until(), os::never);
}

TEST(DeadlineTest, IsOverByItsOwnClock) {
  for (const auto clock : testing::both_clocks) {
    EXPECT_EQ(in(-1ms, clock).park_until(), std::nullopt);
    EXPECT_NE(in(1h, clock).park_until(), std::nullopt);
    EXPECT_EQ(Deadline::at(clock, {.tv_sec = -5, .tv_nsec = 0}).park_until(), std::nullopt);
  }
}

TEST(DeadlineTest, LooksAtTheRealTimeClockEverySecond) {
  const os::Instant before = os::MonotonicClock::now();
  const auto until = in(1h, Deadline::Clock::realtime).park_until();
  EXPECT_LE(*until, os::MonotonicClock::now() + 1s);
  EXPECT_GE(*until, before + 1s);
  EXPECT_GT(*in(1h).park_until(), before + 59min);
}

TEST(DeadlineTest, HoldsTheEndOfTime) {
  constexpr time_t last = std::numeric_limits<time_t>::max();
  for (const auto clock : testing::both_clocks) {
    const Deadline deadline = Deadline::at(clock, {.tv_sec = last, .tv_nsec = 999'999'999});
    EXPECT_TRUE(deadline.is_valid);
    EXPECT_NE(deadline.park_until(), std::nullopt);
  }
}

TEST(DeadlineTest, KnowsWhatIsNoTime) {
  EXPECT_FALSE(invalid_deadline(1'000'000'000).is_valid);
  EXPECT_FALSE(invalid_deadline(-1).is_valid);
  EXPECT_TRUE(invalid_deadline(999'999'999).is_valid);
}

}  // namespace
}  // namespace weft::sync
