// SPDX-License-Identifier: Apache-2.0
// Schedules: exact where nothing is drawn by lot, within the statistics of fixed seeds elsewhere.
#include "load/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "load/schedule_text.h"

namespace weft::load {
namespace {

using namespace std::chrono_literals;

Schedule made(const std::vector<Segment>& segments, std::uint64_t seed = 1) {
  auto schedule = make_schedule(segments, seed);
  EXPECT_TRUE(schedule.ok()) << (schedule ? "" : schedule.error().message);
  return schedule ? *schedule : Schedule{};
}

std::size_t count_between(const Schedule& schedule, nanoseconds begin, nanoseconds end) {
  return static_cast<std::size_t>(
      std::count_if(schedule.starts.begin(), schedule.starts.end(),
                    [&](nanoseconds start) { return start >= begin && start < end; }));
}

// Within four standard deviations: one seed in 16,000 would fail, and the seeds here are fixed.
void expect_poisson(std::size_t count, double expected) {
  EXPECT_NEAR(static_cast<double>(count), expected, 4 * std::sqrt(expected));
}

TEST(Schedule, SteadyAndUniformIsExact) {
  const Schedule schedule = made(steady(200, 10s, Spacing::uniform));
  ASSERT_EQ(schedule.starts.size(), 2000U);
  for (std::size_t i = 0; i < schedule.starts.size(); ++i) {
    EXPECT_EQ(schedule.starts[i], static_cast<std::int64_t>(i) * 5ms);
  }
  EXPECT_EQ(schedule.length, 10s);
}

TEST(Schedule, ARateThatDoesNotDivideStaysInsideTheRun) {
  const Schedule schedule = made(steady(3, 1s, Spacing::uniform));
  ASSERT_EQ(schedule.starts.size(), 3U);
  EXPECT_EQ(schedule.starts[1], 333'333'333ns);
}

TEST(Schedule, PoissonKeepsItsRateAndItsSpread) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Schedule schedule = made(steady(1000, 20s, Spacing::poisson), seed);
    expect_poisson(schedule.starts.size(), 20'000);
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 1; i < schedule.starts.size(); ++i) {
      const double gap =
          std::chrono::duration<double, std::milli>(schedule.starts[i] - schedule.starts[i - 1])
              .count();
      sum += gap;
      squares += gap * gap;
    }
    // Of exponential gaps the standard deviation is the mean: 1 ms.
    const auto gaps = static_cast<double>(schedule.starts.size() - 1);
    const double mean = sum / gaps;
    EXPECT_NEAR(mean, 1, 0.05);
    EXPECT_NEAR(std::sqrt(squares / gaps - mean * mean), 1, 0.05);
  }
}

TEST(Schedule, TheSameSeedGivesTheSameAndAnotherAnother) {
  const auto segments = steady(500, 5s, Spacing::poisson);
  EXPECT_EQ(made(segments, 7).starts, made(segments, 7).starts);
  EXPECT_NE(made(segments, 7).starts, made(segments, 8).starts);
}

TEST(Schedule, StartsAscend) {
  for (const auto& segments :
       {square_bursts(200, {2000, 200ms, 2s}, 10s, Spacing::poisson), original_burst_test(105s),
        ramp(10, 1000, 5s, Spacing::poisson), ramp(0, 50, 5s, Spacing::uniform),
        ramp(50, 0, 5s, Spacing::poisson), on_off(300, 100ms, 70ms, 3s, Spacing::uniform)}) {
    const Schedule schedule = made(segments);
    EXPECT_TRUE(std::is_sorted(schedule.starts.begin(), schedule.starts.end()));
    EXPECT_GE(schedule.starts.front(), 0s);
    EXPECT_LT(schedule.starts.back(), schedule.length);
  }
}

TEST(Schedule, PhasesCoverTheRunWithoutGaps) {
  for (const auto& segments :
       {square_bursts(200, {2000, 200ms, 2s}, 9s, Spacing::poisson), original_burst_test(21s),
        on_off(300, 1s, 1s, 5s, Spacing::poisson), steady(5, 3s, Spacing::poisson)}) {
    const Schedule schedule = made(segments);
    nanoseconds at = 0s;
    for (const Phase& phase : schedule.phases) {
      EXPECT_EQ(phase.begin, at);
      EXPECT_GT(phase.end, phase.begin);
      at = phase.end;
    }
    EXPECT_EQ(at, schedule.length);
  }
}

TEST(Schedule, BurstsHaveTheirRateAndTheRestTheBase) {
  const Schedule schedule = made(square_bursts(200, {2000, 200ms, 2s}, 60s, Spacing::poisson), 5);
  const auto phases = phases_of(schedule);
  std::size_t in_bursts = 0;
  for (const std::uint16_t phase : phases) {
    if (schedule.phases[phase].kind == PhaseKind::burst) ++in_bursts;
  }
  expect_poisson(in_bursts, 30 * 0.2 * 2000);
  expect_poisson(phases.size() - in_bursts, 30 * 1.8 * 200);
  EXPECT_EQ(schedule.phases[0].name, "quiet");
  EXPECT_EQ(schedule.phases[1].name, "burst 1");
  EXPECT_EQ(schedule.phases[1].begin, 900ms);
  EXPECT_EQ(schedule.phases[1].end, 1100ms);
  EXPECT_EQ(schedule.phases[2].name, "recovery 1");
  EXPECT_EQ(schedule.phases[3].name, "quiet");
  EXPECT_EQ(schedule.phases[4].name, "burst 2");
}

TEST(Schedule, EachStartLiesInItsPhase) {
  const Schedule schedule = made(square_bursts(300, {3000, 50ms, 500ms}, 5s, Spacing::poisson));
  const auto phases = phases_of(schedule);
  ASSERT_EQ(phases.size(), schedule.starts.size());
  for (std::size_t i = 0; i < phases.size(); ++i) {
    EXPECT_GE(schedule.starts[i], schedule.phases[phases[i]].begin);
    EXPECT_LT(schedule.starts[i], schedule.phases[phases[i]].end);
  }
}

TEST(Schedule, ARampSpendsAQuarterOfItsRequestsInItsFirstHalf) {
  const Schedule schedule = made(ramp(0, 2000, 10s, Spacing::uniform));
  EXPECT_EQ(schedule.starts.size(), 10'000U);
  EXPECT_NEAR(static_cast<double>(count_between(schedule, 0s, 5s)), 2'500, 1);
  const Schedule down = made(ramp(2000, 0, 10s, Spacing::uniform));
  EXPECT_NEAR(static_cast<double>(count_between(down, 0s, 5s)), 7'500, 1);
}

TEST(Schedule, UniformGoesOnAcrossSegmentsAndPoissonBeginsAnew) {
  const Segment slow{150ms, 10, 10, Spacing::uniform};
  const Segment fast{100ms, 20, 20, Spacing::uniform};
  // The second of the slow ones leaves half a step over, which is 25 ms at the faster rate.
  EXPECT_EQ(made({slow, fast}).starts, (std::vector<nanoseconds>{0ms, 100ms, 175ms, 225ms}));
  const Schedule mixed = made({slow, {1s, 1000, 1000, Spacing::poisson}});
  EXPECT_EQ(mixed.starts[1], 100ms);
  EXPECT_GT(mixed.starts[2], 150ms);
}

TEST(Schedule, OffIsEmpty) {
  const Schedule schedule = made(on_off(1000, 1s, 500ms, 6s, Spacing::poisson));
  EXPECT_EQ(count_between(schedule, 1s, 1500ms), 0U);
  EXPECT_EQ(count_between(schedule, 2500ms, 3s), 0U);
  expect_poisson(count_between(schedule, 0s, 1s), 1000);
}

TEST(Schedule, TheOriginalBurstTestComesAHundredAtATime) {
  const Schedule schedule = made(original_burst_test(105s));
  EXPECT_EQ(count_between(schedule, 25s, 30s), 1500U);
  EXPECT_EQ(std::count(schedule.starts.begin(), schedule.starts.end(), 25s), 100);
  expect_poisson(count_between(schedule, 0s, 25s), 5000);
  EXPECT_EQ(std::count_if(schedule.phases.begin(), schedule.phases.end(),
                          [](const Phase& phase) { return phase.kind == PhaseKind::burst; }),
            3);
}

TEST(Schedule, WhatCannotBeKeptIsRefused) {
  const auto message = [](const std::vector<Segment>& segments, std::size_t most = 1000) {
    const auto schedule = make_schedule(segments, 1, most);
    return schedule ? std::string() : schedule.error().message;
  };
  EXPECT_NE(message({}).find("empty"), std::string::npos);
  EXPECT_NE(message(steady(0, 1s, Spacing::poisson)).find("every rate is 0"), std::string::npos);
  EXPECT_NE(message(steady(1, 0s, Spacing::poisson)).find("no length"), std::string::npos);
  EXPECT_NE(message(steady(-1, 1s, Spacing::poisson)).find("negative"), std::string::npos);
  EXPECT_NE(message(steady(NAN, 1s, Spacing::poisson)).find("no number"), std::string::npos);
  EXPECT_NE(message(steady(2000, 1s, Spacing::poisson)).find("room for the samples of 1000"),
            std::string::npos);
  EXPECT_NE(message(steady(1, 24h * 8, Spacing::poisson)).find("week"), std::string::npos);
  EXPECT_EQ(message(steady(999, 1s, Spacing::uniform)), "");
  EXPECT_NE(message(square_bursts(100, {200, 1us, 100us}, 5s, Spacing::poisson)).find("phases"),
            std::string::npos);
}

TEST(ScheduleText, DurationsHaveUnits) {
  EXPECT_EQ(*parse_duration("200ms"), 200ms);
  EXPECT_EQ(*parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(*parse_duration("2m"), 2min);
  EXPECT_EQ(*parse_duration("50us"), 50us);
  for (const char* text : {"", "5", "s", "0s", "-1s", "1 s", "1x", "1e9s", "1000h", "1.2.3s"}) {
    EXPECT_FALSE(parse_duration(text).ok()) << text;
  }
}

TEST(ScheduleText, BurstsAreARateALengthAndAPeriod) {
  const auto burst = parse_burst("2000:200ms/2s", 100);
  ASSERT_TRUE(burst.ok());
  EXPECT_EQ(burst->rate, 2000);
  EXPECT_EQ(burst->length, 200ms);
  EXPECT_EQ(burst->period, 2s);
  EXPECT_EQ(parse_burst("10x:20ms/1s", 150)->rate, 1500);
  for (const char* text : {"", "2000", "2000:1s", "2000/1s:2s", "0:1s/2s", "x:1s/2s", "5:1/2s"}) {
    EXPECT_FALSE(parse_burst(text, 100).ok()) << text;
  }
}

TEST(ScheduleText, ABurstAsLongAsItsPeriodCannotBeKept) {
  EXPECT_NE(parse_burst("2000:2s/2s", 100).error().message.find("cannot be kept"),
            std::string::npos);
  EXPECT_FALSE(parse_burst("2000:3s/2s", 100).ok());
}

TEST(ScheduleText, RatesAreAboveZero) {
  EXPECT_EQ(*parse_rate("0.5"), 0.5);
  for (const char* text : {"0", "-1", "many", "", "1e3", "nan"}) {
    EXPECT_FALSE(parse_rate(text).ok()) << text;
  }
}

TEST(ScheduleText, OnAndOffAreTwoDurations) {
  EXPECT_EQ(parse_on_off("1s/500ms")->off, 500ms);
  EXPECT_FALSE(parse_on_off("1s").ok());
  EXPECT_FALSE(parse_on_off("1s/0s").ok());
}

}  // namespace
}  // namespace weft::load
