// SPDX-License-Identifier: Apache-2.0
// When periods begin, as looks at any time tell it.
#include "pool/period_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <random>

namespace weft::pool {
namespace {

using namespace std::chrono_literals;

// A kernel that counts.
struct Periods {
  nanoseconds length;
  nanoseconds first;
  std::uint64_t counted_by(nanoseconds now) const {
    return static_cast<std::uint64_t>((now - first) / length);
  }
  nanoseconds begin_of(nanoseconds now) const { return first + (now - first) / length * length; }
};

// The smaller way around.
nanoseconds error_of(const PeriodClock& clock, const Periods& periods, nanoseconds now) {
  const nanoseconds difference = (clock.begin_of(now) - periods.begin_of(now)) % periods.length;
  const nanoseconds away = difference < 0ns ? -difference : difference;
  return std::min(away, periods.length - away);
}

TEST(PeriodClock, FindsThePeriodsFromLooksAtAnyTime) {
  std::mt19937_64 random(7);
  for (const nanoseconds length : {nanoseconds(100ms), nanoseconds(10ms), nanoseconds(1s)}) {
    for (int run = 0; run < 50; ++run) {
      const Periods periods{length, nanoseconds(random() % 1'000'000'000)};
      std::uniform_int_distribution<std::int64_t> gap(length.count() / 200, length.count() / 20);
      PeriodClock clock(length);
      nanoseconds now = 10s;
      while (now < 10s + 20 * length) {
        if (clock.wants_count(now))
          clock.observe(now, now + 20us, periods.counted_by(now + 10us), false);
        now += nanoseconds(gap(random));
      }
      ASSERT_TRUE(clock.is_known());
      EXPECT_LE(error_of(clock, periods, now), length / 64);
    }
  }
}

TEST(PeriodClock, KnowsNothingWhereNothingIsCounted) {
  PeriodClock clock(100ms);
  for (nanoseconds now = 1s; now < 3s; now += 1ms) {
    EXPECT_TRUE(clock.wants_count(now));
    clock.observe(now, now, 17, false);
  }
  EXPECT_FALSE(clock.is_known());
}

// Looks that are far apart say that some began, and not when.
TEST(PeriodClock, IsNotMisledByLooksThatAreFarApart) {
  const Periods periods{100ms, 37ms};
  PeriodClock clock(100ms);
  for (nanoseconds now = 1s; now < 30s; now += 130ms) {
    clock.observe(now, now, periods.counted_by(now), false);
  }
  EXPECT_FALSE(clock.is_known());
}

// Stopped in each period from its half on, it only ever looks when another has begun.
TEST(PeriodClock, WhoIsStoppedInEachPeriodLearnsByBeingLetGo) {
  const Periods periods{100ms, 37ms};
  PeriodClock clock(100ms);
  for (nanoseconds begin = 1037ms; begin < 2s; begin += 100ms) {
    for (nanoseconds now = begin + 1ms; now < begin + 50ms; now += 2ms) {
      clock.observe(now, now, periods.counted_by(now), now == begin + 1ms);
    }
  }
  ASSERT_TRUE(clock.is_known());
  EXPECT_LE(error_of(clock, periods, 2s), 4ms);
}

// As when the quota is written anew.
TEST(PeriodClock, BelievesTheKernelWhenTheBeatChanges) {
  PeriodClock clock(100ms);
  Periods periods{100ms, 20ms};
  nanoseconds now = 1s;
  const auto watch = [&](nanoseconds until, std::uint64_t more) {
    for (; now < until; now += 1ms) {
      if (clock.wants_count(now)) clock.observe(now, now, periods.counted_by(now) + more, false);
    }
  };
  watch(3s, 0);
  EXPECT_LE(error_of(clock, periods, now), 1ms);
  // It looks near the instants that it knows; one in eight finds the new ones there in the end.
  periods.first = 28ms;
  watch(6s, 1);
  EXPECT_LE(error_of(clock, periods, now), 2ms);
}

}  // namespace
}  // namespace weft::pool
