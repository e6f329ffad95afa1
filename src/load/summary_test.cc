// SPDX-License-Identifier: Apache-2.0
// What samples come to, and what the generator thinks of itself.
#include "load/summary.h"

#include <gtest/gtest.h>

#include <chrono>

#include "load/self_check.h"

namespace weft::load {
namespace {

using namespace std::chrono_literals;

Sample sample(nanoseconds intended, nanoseconds latency, Outcome outcome = Outcome::good,
              std::uint16_t phase = 0) {
  Sample one;
  one.intended = intended;
  one.begun = intended + 10us;
  one.end = intended + latency;
  one.status = outcome == Outcome::good ? 200 : outcome == Outcome::unavailable ? 503 : 0;
  one.outcome = outcome;
  one.phase = phase;
  return one;
}

const std::vector<Phase> whole = {{"quiet", PhaseKind::quiet, 0s, 10s}};

TEST(Quantiles, AreValuesThatWereMeasured) {
  std::vector<nanoseconds> values;
  for (int i = 1; i <= 1000; ++i) values.push_back(i * 1us);
  const Quantiles of = quantiles_of(values);
  EXPECT_EQ(of.count, 1000U);
  EXPECT_EQ(of.p50, 500us);
  EXPECT_EQ(of.p90, 900us);
  EXPECT_EQ(of.p99, 990us);
  EXPECT_EQ(of.p999, 999us);
  EXPECT_EQ(of.p9999, 1000us);
  EXPECT_EQ(of.max, 1000us);
  EXPECT_EQ(of.mean, 500'500ns);
  EXPECT_EQ(quantiles_of({}).count, 0U);
}

TEST(Summary, ATimeOutCountsWithItsTimeAndNothingIsDropped) {
  std::vector<Sample> samples;
  for (int i = 0; i < 98; ++i) samples.push_back(sample(i * 10ms, 1ms));
  samples.push_back(sample(990ms, 2s, Outcome::timeout));
  samples.push_back(sample(991ms, 1us, Outcome::refused));
  const Summary summary = summarise(samples, whole, 10s, 2s);
  EXPECT_EQ(summary.served.count, 100U);
  EXPECT_EQ(summary.served.p90, 1ms);
  // A refusal is no fast answer: it never came.
  EXPECT_EQ(summary.served.p99, 2s);
  EXPECT_EQ(summary.counts[static_cast<std::size_t>(Outcome::timeout)], 1U);
  EXPECT_EQ(summary.counts[static_cast<std::size_t>(Outcome::refused)], 1U);
  EXPECT_DOUBLE_EQ(summary.offered_rate, 10);
  EXPECT_DOUBLE_EQ(summary.goodput, 9.8);
}

TEST(Summary, RejectionsStandApart) {
  std::vector<Sample> samples;
  for (int i = 0; i < 10; ++i) samples.push_back(sample(i * 1ms, 50ms));
  for (int i = 0; i < 90; ++i) samples.push_back(sample(i * 1ms, 1us, Outcome::unavailable));
  const Summary summary = summarise(samples, whole, 10s, 2s);
  EXPECT_EQ(summary.served.p50, 50ms);
  EXPECT_EQ(summary.rejected.count, 90U);
  EXPECT_EQ(summary.rejected.p99, 1us);
  EXPECT_EQ(summary.statuses.at(503), 90U);
  EXPECT_DOUBLE_EQ(summary.answered_rate, 10);
  EXPECT_DOUBLE_EQ(summary.goodput, 1);
}

TEST(Summary, WhatAStoppedRunLeftIsCountedOnly) {
  const Summary summary =
      summarise({sample(0s, 1ms), sample(1s, 0s, Outcome::unfinished)}, whole, 10s, 2s);
  EXPECT_EQ(summary.served.count, 1U);
  EXPECT_EQ(summary.slip.count, 1U);
  EXPECT_EQ(summary.counts[static_cast<std::size_t>(Outcome::unfinished)], 1U);
}

TEST(Summary, BurstsAndRecoveryAreApart) {
  const std::vector<Phase> phases = {{"quiet", PhaseKind::quiet, 0s, 1s},
                                     {"burst 1", PhaseKind::burst, 1s, 2s},
                                     {"recovery 1", PhaseKind::recovery, 2s, 3s}};
  std::vector<Sample> samples;
  for (int i = 0; i < 100; ++i) samples.push_back(sample(i * 10ms, 1ms));
  for (int i = 0; i < 100; ++i) samples.push_back(sample(1s + i * 10ms, 80ms, Outcome::good, 1));
  // The queue drains for 300 ms.
  for (int i = 0; i < 100; ++i) {
    samples.push_back(sample(2s + i * 10ms, i < 30 ? 40ms : 1ms, Outcome::good, 2));
  }
  const Summary summary = summarise(samples, phases, 3s, 2s);
  EXPECT_EQ(summary.in_bursts.count, 100U);
  EXPECT_EQ(summary.in_bursts.p99, 80ms);
  EXPECT_EQ(summary.between.count, 200U);
  EXPECT_EQ(summary.between.p50, 1ms);
  ASSERT_EQ(summary.bursts.size(), 1U);
  EXPECT_EQ(summary.bursts[0].served.p99, 80ms);
  EXPECT_EQ(summary.bursts[0].recovery, 300ms);
}

std::vector<Timed> timed(int slow_up_to, int count = 100) {
  std::vector<Timed> all;
  for (int i = 0; i < count; ++i) all.push_back({i * 10ms, i < slow_up_to ? 40ms : 1ms});
  return all;
}

TEST(Recovery, IsAtOnceWhereNothingWasSlow) {
  EXPECT_EQ(recovery_time(timed(0), 0s, 2ms), 0ns);
}

TEST(Recovery, ASingleFastOneAmongSlowOnesIsNoRecovery) {
  auto after = timed(50);
  after[10].latency = 1ms;
  after[30].latency = 1ms;
  EXPECT_EQ(recovery_time(after, 0s, 2ms), 500ms);
}

TEST(Recovery, ASingleSlowOneAmongFastOnesDoesNotPutItOff) {
  auto after = timed(20);
  after[25].latency = 40ms;
  EXPECT_EQ(recovery_time(after, 0s, 2ms), 200ms);
}

TEST(Recovery, IsNotSeenWhereAllStaySlow) {
  EXPECT_EQ(recovery_time(timed(100), 0s, 2ms), std::nullopt);
  EXPECT_EQ(recovery_time({}, 0s, 2ms), std::nullopt);
}

TEST(Recovery, CountsFromTheEndOfTheBurst) {
  auto after = timed(20);
  for (Timed& one : after) one.start += 5s;
  EXPECT_EQ(recovery_time(after, 5s, 2ms), 200ms);
}

Usage usage(nanoseconds cpu, nanoseconds spinning = 0s, unsigned threads = 1) {
  Usage of;
  of.wall = 10s;
  of.cpu = cpu;
  of.spinning = spinning;
  of.threads = threads;
  return of;
}

TEST(SelfCheck, ARunOnTimeStands) {
  EXPECT_FALSE(check_open_loop(50us, 1ms, usage(5s)).is_void());
}

TEST(SelfCheck, ASlipAboveATwentiethOfTheP99IsVoid) {
  const SelfCheck check = check_open_loop(51us, 1ms, usage(1s));
  ASSERT_EQ(check.void_because.size(), 1U);
  EXPECT_NE(check.void_because[0].find("5.1 %"), std::string::npos) << check.void_because[0];
}

TEST(SelfCheck, MoreThanFourFifthsOfItsCpuIsVoid) {
  EXPECT_TRUE(check_open_loop(0s, 1ms, usage(8100ms)).is_void());
  EXPECT_FALSE(check_open_loop(0s, 1ms, usage(7900ms)).is_void());
  EXPECT_FALSE(check_open_loop(0s, 1ms, usage(8100ms, 0s, 2)).is_void());
}

TEST(SelfCheck, SpinningIsNoWork) {
  EXPECT_FALSE(check_open_loop(0s, 1ms, usage(9900ms, 5s)).is_void());
  EXPECT_DOUBLE_EQ(work_share(usage(9s, 5s)), 0.4);
  EXPECT_DOUBLE_EQ(work_share(usage(1s, 5s)), 0);
}

TEST(SelfCheck, ThrottlingIsVoidInBothLoops) {
  Usage throttled = usage(1s);
  throttled.throttled = 1ms;
  EXPECT_TRUE(check_open_loop(0s, 1ms, throttled).is_void());
  EXPECT_TRUE(check_closed_loop(throttled).is_void());
}

TEST(SelfCheck, AClosedLoopAtWorkAllTheTimeIsNoted) {
  const SelfCheck check = check_closed_loop(usage(9900ms));
  EXPECT_FALSE(check.is_void());
  EXPECT_EQ(check.notes.size(), 1U);
}

TEST(SelfCheck, WaitingForACpuIsNoted) {
  Usage pressed = usage(1s);
  pressed.waited = 1s;
  EXPECT_EQ(check_open_loop(0s, 1ms, pressed).notes.size(), 1U);
}

}  // namespace
}  // namespace weft::load
