// SPDX-License-Identifier: Apache-2.0
// From stalls to shares: who sheds alone, how it rises and falls, and what is no reading.
#include "admission/pressure_control.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>

namespace weft::admission {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

class Looking {
 public:
  // A second later. The sums of all lines move on.
  PressurePlan look(PressureSample sample, bool queue_sheds = false) {
    now_ += 1s;
    total_ += 1000us;
    for (auto* line : {&sample.cpu_some, &sample.cpu_full, &sample.memory_full, &sample.io_full}) {
      if (*line) (*line)->total += total_;
    }
    return control_.look(now_, sample, queue_sheds);
  }
  PressurePlan look(const PressureSample& sample, int times, bool queue_sheds = false) {
    PressurePlan plan;
    for (int i = 0; i < times; ++i) plan = look(sample, queue_sheds);
    return plan;
  }

  PressureControl control_;
  nanoseconds now_ = 1000s;
  microseconds total_{0};
};

StallSample both(double percent) {
  return {percent, percent, microseconds(0)};
}

TEST(PressureControl, WhoShedsAlone) {
  struct Case {
    const char* name;
    PressureSample sample;
    bool queue_sheds;
    Refusal reason;
    bool low;
    bool normal;
    bool closed;
  };
  const Case cases[] = {
      {"nothing known", {}, true, Refusal::none, false, false, false},
      {"cpu some, no queue", {.cpu_some = both(100)}, false, Refusal::none, false, false, false},
      {"cpu some, a queue",
       {.cpu_some = both(100)},
       true,
       Refusal::cpu_pressure,
       true,
       false,
       false},
      {"cpu full", {.cpu_full = both(90)}, false, Refusal::cpu_pressure, true, false, false},
      {"throttled", {.throttled = 1.0}, true, Refusal::throttled, true, false, false},
      {"io", {.io_full = both(95)}, false, Refusal::io_pressure, true, true, false},
      {"memory", {.memory_full = both(30)}, false, Refusal::memory_pressure, true, true, false},
      {"much memory", {.memory_full = both(45)}, false, Refusal::memory_pressure, true, true, true},
      {"a little memory", {.memory_full = both(4)}, false, Refusal::none, false, false, false},
  };
  for (const Case& test : cases) {
    Looking looking;
    const PressurePlan plan = looking.look(test.sample, 200, test.queue_sheds);
    SCOPED_TRACE(test.name);
    EXPECT_EQ(plan.reason, test.reason);
    EXPECT_EQ(plan.low_share > 0, test.low);
    EXPECT_EQ(plan.normal_share > 0, test.normal);
    EXPECT_EQ(plan.closed, test.closed);
    EXPECT_GE(plan.low_share, plan.normal_share);
  }
}

TEST(PressureControl, RisesOnlyWhenBothAveragesAreHigh) {
  for (const StallSample& sample : {StallSample{80, 2, 0us}, StallSample{2, 80, 0us}}) {
    Looking looking;
    EXPECT_EQ(looking.look({.memory_full = sample}, 60).level, 0);
    EXPECT_FALSE(looking.look({.memory_full = sample}).closed);
  }
}

TEST(PressureControl, DoesNotRiseWhileTheShortAverageFallsFast) {
  Looking looking;
  double percent = 100;
  looking.look({.memory_full = StallSample{percent, 1, 0us}});
  for (int i = 0; i < 10; ++i) {
    percent *= 0.8;
    EXPECT_EQ(looking.look({.memory_full = StallSample{percent, 80, 0us}}).level, 0);
  }
}

TEST(PressureControl, RisesByATenthInASecondAndFallsTwiceAsFast) {
  Looking looking;
  looking.look({.memory_full = both(39)});
  double before = 0;
  int seconds_up = 0;
  for (PressurePlan plan; plan.level < 0.9; ++seconds_up) {
    plan = looking.look({.memory_full = both(39)});
    EXPECT_LE(plan.level, before + 0.1 + 1e-9);
    before = plan.level;
    ASSERT_LT(seconds_up, 30);
  }
  int seconds_down = 0;
  while (looking.look({.memory_full = both(0)}).level > 0) ASSERT_LT(++seconds_down, 30);
  EXPECT_LT(seconds_down, seconds_up);
}

TEST(PressureControl, AWaveringReadingDoesNotMakeItTurnAllTheTime) {
  Looking looking;
  int turns = 0;
  int direction = 0;
  double before = 0;
  for (int i = 0; i < 300; ++i) {
    const double level = looking.look({.memory_full = both(i % 2 == 0 ? 39 : 6)}).level;
    const int now = level > before ? 1 : level < before ? -1 : 0;
    if (now != 0 && direction != 0 && now != direction) ++turns;
    if (now != 0) direction = now;
    before = level;
  }
  EXPECT_LE(turns, 100);  // one in three seconds
}

// Stalls that come and go every few seconds, as the kernel averages them: around the edge of a
// range, the smaller average is now above, now below.
TEST(PressureControl, AReadingAtTheEdgeDoesNotMakeItFlap) {
  for (const double mean : {4.5, 5.0, 5.5, 6.0, 8.0}) {
    for (const nanoseconds half_a_wave : {1s, 2s, 4s}) {
      PressureControl control;
      StallSample memory = both(mean);
      int changes = 0;
      bool before = false;
      for (nanoseconds now = 1s; now < 301s; now += 500ms) {
        const double share = now / half_a_wave % 2 == 0 ? 2 * mean : 0;
        memory.short_average += (share - memory.short_average) * (1 - std::exp(-0.5 / 10));
        memory.long_average += (share - memory.long_average) * (1 - std::exp(-0.5 / 60));
        memory.total += microseconds(static_cast<int>(share * 5000));
        const bool sheds = control.look(now, {.memory_full = memory}, false).low_share > 0;
        changes += sheds != before ? 1 : 0;
        before = sheds;
      }
      EXPECT_LE(changes, 1) << mean << " %, waves of " << 2 * (half_a_wave / 1s) << " s";
    }
  }
}

TEST(PressureControl, ClosedEndsAtHalfOfWhatClosesIt) {
  Looking looking;
  EXPECT_TRUE(looking.look({.memory_full = both(45)}, 5).closed);
  EXPECT_TRUE(looking.look({.memory_full = both(30)}, 20).closed);
  EXPECT_FALSE(looking.look({.memory_full = both(19)}).closed);
  EXPECT_FALSE(looking.look({.memory_full = both(30)}, 20).closed);
}

TEST(PressureControl, WhatIsNoReadingIsNoPressure) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Looking looking;
  EXPECT_EQ(looking.look({.memory_full = StallSample{none, 80, 0us}}, 30).level, 0);
  EXPECT_EQ(looking.look({.memory_full = StallSample{80, none, 0us}}, 30).level, 0);
  EXPECT_EQ(looking.look({.throttled = none}, 30).level, 0);
  EXPECT_GT(looking.look({.memory_full = both(1e300)}, 30).level, 0);
  EXPECT_EQ(looking.look({}, 30).level, 0);
  EXPECT_FALSE(looking.look({}).closed);
}

// Averages that nobody renews: the sum stands still, so nobody stalls.
TEST(PressureControl, AStaleAverageIsForgotten) {
  Looking looking;
  ASSERT_TRUE(looking.look({.memory_full = both(60)}, 20).closed);
  PressurePlan plan;
  for (int i = 0; i < 30; ++i) {
    looking.now_ += 1s;
    plan = looking.control_.look(looking.now_, {.memory_full = StallSample{60, 60, looking.total_}},
                                 false);
  }
  EXPECT_FALSE(plan.closed);
  EXPECT_EQ(plan.level, 0);
}

TEST(PressureControl, ASumThatGoesBackBeginsAnew) {
  Looking looking;
  ASSERT_TRUE(looking.look({.memory_full = both(60)}, 20).closed);
  looking.now_ += 1s;
  EXPECT_FALSE(looking.control_
                   .look(looking.now_, {.memory_full = StallSample{60, 60, microseconds(1)}}, false)
                   .closed);
}

TEST(PressureControl, MorePressureNeverMeansLessShedding) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> percent(0, 110);
  std::bernoulli_distribution coin(0.5);
  const auto stall = [&](microseconds total) {
    return coin(random) ? std::optional(StallSample{percent(random), percent(random), total})
                        : std::nullopt;
  };
  const auto more = [&](std::optional<StallSample>& line) {
    if (!line) return;
    line->short_average += percent(random);
    line->long_average += percent(random);
  };
  for (int round = 0; round < 300; ++round) {
    PressureControl control;
    nanoseconds now{0};
    microseconds total{0};
    for (int i = 0; i < 40; ++i) {
      now += std::chrono::milliseconds(200 + random() % 3000);
      total += microseconds(random() % 3);
      PressureSample sample{stall(total), stall(total), stall(total), stall(total), {}};
      if (coin(random)) sample.throttled = percent(random) / 100;
      PressureSample worse = sample;
      for (auto* line : {&worse.cpu_some, &worse.cpu_full, &worse.memory_full, &worse.io_full}) {
        more(*line);
      }
      if (worse.throttled) *worse.throttled += 0.1;
      const bool queue_sheds = coin(random);
      PressureControl other = control;
      const PressurePlan worse_plan = other.look(now, worse, queue_sheds);
      const PressurePlan plan = control.look(now, sample, queue_sheds);
      ASSERT_GE(plan.level, 0);
      ASSERT_LE(plan.level, 1);
      ASSERT_GE(worse_plan.level, plan.level);
      ASSERT_GE(worse_plan.low_share, plan.low_share);
      ASSERT_GE(worse_plan.normal_share, plan.normal_share);
      ASSERT_GE(worse_plan.closed, plan.closed);
    }
  }
}

}  // namespace
}  // namespace weft::admission
