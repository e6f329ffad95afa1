// SPDX-License-Identifier: Apache-2.0
// The decision on one request.
#include "admission/plan.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>

namespace weft::admission {
namespace {

using namespace std::chrono_literals;

Plan plan_of(QueuePlan queue, PressurePlan pressure = {}) {
  return plan_for(queue, pressure);
}

TEST(Plan, Decisions) {
  Plan draining;
  draining.draining = 1;
  const Plan closed = plan_of({}, {.closed = true, .reason = Refusal::memory_pressure});
  const Plan tight = plan_of({.sheds = true, .may_wait = 3, .low_may_wait = 1});
  const Plan pressed =
      plan_of({}, {.low_share = 1, .normal_share = 1, .reason = Refusal::io_pressure});
  const Limits limits{.in_flight = 100, .critical_in_flight = 8};
  struct Case {
    const char* name;
    Plan plan;
    Request request;
    Refusal expected;
  };
  const Case cases[] = {
      {"open", {}, {Priority::low, 4096, 99}, Refusal::none},
      {"too many", {}, {Priority::normal, 0, 100}, Refusal::concurrency},
      {"too many, critical", {}, {Priority::critical, 0, 100}, Refusal::none},
      {"draining", draining, {Priority::normal}, Refusal::draining},
      {"draining, critical", draining, {Priority::critical, 9, 999}, Refusal::none},
      {"closed", closed, {Priority::normal}, Refusal::memory_pressure},
      {"closed, critical", closed, {Priority::critical, 0, 7}, Refusal::none},
      {"closed, many critical", closed, {Priority::critical, 0, 8}, Refusal::memory_pressure},
      {"queue, low", tight, {Priority::low, 1, 3}, Refusal::queue_delay},
      {"queue, low, room", tight, {Priority::low, 0, 2}, Refusal::none},
      {"queue, normal, room", tight, {Priority::normal, 2, 4}, Refusal::none},
      {"queue, normal", tight, {Priority::normal, 3, 5}, Refusal::queue_delay},
      {"queue, critical", tight, {Priority::critical, 3, 5}, Refusal::none},
      {"pressed", pressed, {Priority::normal}, Refusal::io_pressure},
      {"pressed, critical", pressed, {Priority::critical}, Refusal::none},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    EXPECT_EQ(decide(test.plan, limits, test.request), test.expected);
  }
}

TEST(Plan, SharesAreExactInEveryStretch) {
  for (const double share : {0.0, 0.001, 0.1, 0.25, 0.5, 0.9, 1.0}) {
    const Plan plan =
        plan_of({}, {.low_share = 1, .normal_share = share, .reason = Refusal::throttled});
    for (std::uint64_t from = 0; from < 5000; from += 617) {
      double refused = 0;
      for (std::uint64_t turn = from; turn < from + 100; ++turn) {
        const Refusal refusal = decide(plan, {}, {.priority = Priority::normal, .turn = turn});
        refused += refusal == Refusal::throttled ? 1 : 0;
      }
      EXPECT_NEAR(refused, 100 * share, 2) << "share " << share << " from " << from;
    }
  }
}

TEST(Plan, TheLargerShareSaysWhy) {
  const Plan plan = plan_of({.sheds = true, .share = 0.3},
                            {.low_share = 0.9, .normal_share = 0.1, .reason = Refusal::throttled});
  EXPECT_EQ(static_cast<Refusal>(plan.low_reason), Refusal::throttled);
  EXPECT_EQ(static_cast<Refusal>(plan.normal_reason), Refusal::queue_delay);
  EXPECT_EQ(plan.state(), AdmissionState::shedding);
}

TEST(Plan, NobodyIsToldToComeAgainTogether) {
  std::set<std::chrono::milliseconds> times;
  for (std::uint64_t turn = 0; turn < 100; ++turn) {
    const auto time = jittered(1000ms, turn);
    EXPECT_GE(time, 500ms);
    EXPECT_LT(time, 1500ms);
    times.insert(time);
  }
  EXPECT_GT(times.size(), 90U);
}

TEST(Plan, WhoIsRefusedMoreStaysAwayLonger) {
  const Plan plan = plan_of({.sheds = true});
  EXPECT_LT(retry_base(plan, 20, 10), retry_base(plan, 100, 10));
  EXPECT_LE(retry_base(plan, 1'000'000, 0), 10s);
  EXPECT_GE(retry_base(plan, 0, 0), 500ms);
}

TEST(Plan, WordsAreStable) {
  EXPECT_EQ(std::string(to_string(Refusal::queue_delay)), "queue-delay");
  EXPECT_EQ(std::string(to_string(Refusal::cpu_pressure)), "cpu-pressure");
  EXPECT_EQ(std::string(to_string(Refusal::memory_pressure)), "memory-pressure");
  EXPECT_EQ(std::string(to_string(Refusal::io_pressure)), "io-pressure");
  EXPECT_EQ(std::string(to_string(Refusal::throttled)), "throttled");
  EXPECT_EQ(std::string(to_string(Refusal::concurrency)), "concurrency");
  EXPECT_EQ(std::string(to_string(Refusal::draining)), "draining");
  EXPECT_EQ(std::string(to_string(AdmissionState::shedding)), "shedding");
  EXPECT_EQ(std::string(to_string(Priority::critical)), "critical");
}

}  // namespace
}  // namespace weft::admission
