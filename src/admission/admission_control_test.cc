// SPDX-License-Identifier: Apache-2.0
// The gate and the control with real threads: counts that hold at any moment, draining, and a
// queue that is noticed.
#include <weft/admission_control.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <thread>
#include <vector>

#include <weft/budget.h>

#include "admission/gate.h"

namespace weft {
namespace {

using namespace std::chrono_literals;
using admission::Gate;
using admission::Plan;

constexpr auto normal = static_cast<std::size_t>(Priority::normal);
constexpr auto low = static_cast<std::size_t>(Priority::low);

AdmissionOptions without_pressure() {
  return {.cpus = 2, .watches_pressure = false};
}

TEST(AdmissionControl, ATicketIsWaitingThenBegunThenGone) {
  AdmissionControl control(without_pressure());
  {
    auto [answer, ticket] = control.admit(Priority::normal);
    EXPECT_TRUE(answer.admitted());
    EXPECT_EQ(answer.retry_after, 0ms);
    ASSERT_TRUE(ticket);
    EXPECT_EQ(control.counters().waiting, 1U);
    EXPECT_EQ(control.counters().in_flight, 1U);
    ticket.start();
    ticket.start();
    EXPECT_EQ(control.counters().waiting, 0U);
    EXPECT_EQ(control.counters().in_flight, 1U);
    Ticket moved = std::move(ticket);
    EXPECT_FALSE(ticket);  // NOLINT(bugprone-use-after-move): it is of none then
    EXPECT_EQ(control.counters().in_flight, 1U);
    moved = Ticket();
    EXPECT_EQ(control.counters().in_flight, 0U);
  }
  { const auto never_begun = control.admit(Priority::low); }
  EXPECT_EQ(control.counters().waiting, 0U);
  EXPECT_EQ(control.counters().in_flight, 0U);
  EXPECT_EQ(control.counters().admitted[normal], 1U);
  EXPECT_EQ(control.counters().admitted[low], 1U);
}

TEST(AdmissionControl, DrainingLetsOnlyCriticalOnesIn) {
  AdmissionControl control(without_pressure());
  const auto before = control.admit(Priority::normal);
  control.drain();
  const auto refused = control.admit(Priority::normal);
  EXPECT_EQ(refused.admission.refusal, Refusal::draining);
  EXPECT_GT(refused.admission.retry_after, 0ms);
  EXPECT_FALSE(refused.ticket);
  EXPECT_EQ(control.admit(Priority::low).admission.refusal, Refusal::draining);
  EXPECT_TRUE(control.admit(Priority::critical).admission.admitted());
  EXPECT_TRUE(control.counters().draining);
  EXPECT_EQ(control.counters().in_flight, 1U);
  EXPECT_EQ(control.counters().refused[normal][static_cast<std::size_t>(Refusal::draining)], 1U);
}

TEST(AdmissionControl, NoMoreThanAreAllowedAreUnderWay) {
  AdmissionOptions options = without_pressure();
  options.most_in_flight = 3;
  AdmissionControl control(options);
  std::vector<AdmissionControl::Answer> answers;
  answers.reserve(5);
  for (int i = 0; i < 5; ++i) answers.push_back(control.admit(Priority::normal));
  EXPECT_TRUE(answers[2].admission.admitted());
  EXPECT_EQ(answers[3].admission.refusal, Refusal::concurrency);
  EXPECT_TRUE(control.admit(Priority::critical).admission.admitted());
  answers.clear();
  EXPECT_TRUE(control.admit(Priority::normal).admission.admitted());
}

TEST(AdmissionControl, CpusAreTheBudgetsOrThoseSaid) {
  AdmissionControl control;
  EXPECT_EQ(control.counters().cpus, budget::read().cpu.threads);
  control.set_cpus(7);
  EXPECT_EQ(control.counters().cpus, 7U);
  control.set_cpus(0);
  EXPECT_EQ(control.counters().cpus, 1U);
}

// Whatever the threads do, what waits is part of what is under way, and no more than may.
TEST(AdmissionGate, CountsHoldAtAnyMoment) {
  constexpr std::uint32_t may_wait = 3;
  Gate gate({}, 2);
  Plan plan;
  plan.may_wait = plan.low_may_wait = may_wait;
  plan.low_share = Plan::all / 2;
  plan.low_reason = static_cast<std::uint64_t>(Refusal::throttled) & 7;
  gate.set_plan(plan, 1000ms, std::chrono::nanoseconds::max());
  std::atomic<bool> ends{false};
  std::thread looks([&] {
    while (!ends) {
      const Gate::Occupancy occupancy = gate.occupancy();
      EXPECT_LE(occupancy.waiting, may_wait);
      EXPECT_LE(occupancy.waiting, occupancy.in_flight);
      EXPECT_LE(occupancy.in_flight, 8U);
      static_cast<void>(gate.look());
      std::this_thread::yield();
    }
  });
  constexpr int rounds = 100'000;
  std::vector<std::thread> requests;
  requests.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    requests.emplace_back([&, thread] {
      for (int i = 0; i < rounds; ++i) {
        const Priority priority = i % 3 == 0 ? Priority::low : Priority::normal;
        if (!gate.admit(priority).admission.admitted()) continue;
        const bool begins = (i + thread) % 5 != 0;
        if (begins) gate.start(priority, std::chrono::nanoseconds(i));
        gate.end(begins, 1us);
      }
    });
  }
  for (std::thread& thread : requests) thread.join();
  ends = true;
  looks.join();
  EXPECT_EQ(gate.occupancy().waiting, 0U);
  EXPECT_EQ(gate.occupancy().in_flight, 0U);
  std::uint64_t asked = 0;
  for (std::size_t why = 0; why < refusal_count; ++why) {
    asked += gate.refused(Priority::normal, static_cast<Refusal>(why));
    asked += gate.refused(Priority::low, static_cast<Refusal>(why));
  }
  EXPECT_EQ(asked, 4U * rounds);
  EXPECT_GT(gate.refused(Priority::low, Refusal::throttled), 0U);
}

TEST(AdmissionGate, ALookTellsOfWhatCameSinceTheLast) {
  Gate gate({}, 4);
  for (int i = 0; i < 3; ++i) static_cast<void>(gate.admit(Priority::normal));
  static_cast<void>(gate.admit(Priority::low));
  static_cast<void>(gate.admit(Priority::critical));
  gate.start(Priority::normal, 3ms);
  gate.start(Priority::normal, 2ms);
  gate.end(true, 5ms);
  gate.record_wait(9ms);
  admission::QueueSample sample = gate.look();
  EXPECT_EQ(sample.offered, 4U);
  EXPECT_EQ(sample.offered_normal, 3U);
  EXPECT_EQ(sample.admitted_low, 1U);
  EXPECT_EQ(sample.begun, 2U);
  EXPECT_EQ(sample.ended, 1U);
  EXPECT_EQ(sample.shortest_wait, 2ms);
  EXPECT_EQ(sample.shortest_elsewhere, 9ms);
  EXPECT_EQ(sample.waiting, 3U);
  EXPECT_EQ(sample.in_flight, 4U);
  EXPECT_DOUBLE_EQ(sample.idle, (4 + 3 + 2 + 1) / 4.0);
  sample = gate.look();
  EXPECT_EQ(sample.offered, 0U);
  EXPECT_EQ(sample.begun, 0U);
  EXPECT_EQ(sample.shortest_wait, std::chrono::nanoseconds::max());
}

TEST(AdmissionGate, AQueueThatGrowsCallsForALook) {
  Gate gate({}, 2);
  for (std::uint32_t i = 1; i < 40; ++i) {
    EXPECT_EQ(gate.admit(Priority::normal).calls, i == Gate::calls_at);
  }
}

// A queue that nobody serves fast enough, made by hand, until the control has seen it.
TEST(AdmissionControl, OverloadIsNoticedAndForgotten) {
  AdmissionControl control(without_pressure());
  std::deque<Ticket> queue;
  Admission refused;
  const auto give_up = std::chrono::steady_clock::now() + 60s;
  while (refused.admitted() || control.counters().state == AdmissionState::open) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
    for (int i = 0; i < 10; ++i) {
      auto [answer, ticket] = control.admit(Priority::normal);
      if (ticket) queue.push_back(std::move(ticket));
      refused = answer;
    }
    if (queue.size() > 200) {
      queue.front().start();
      queue.pop_front();
    }
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(refused.refusal, Refusal::queue_delay);
  EXPECT_GE(refused.retry_after, 250ms);
  EXPECT_TRUE(control.admit(Priority::critical).admission.admitted());
  queue.clear();
  while (control.counters().state != AdmissionState::open) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(control.admit(Priority::normal).admission.admitted());
  EXPECT_GE(control.counters().state_changes, 2U);
}

TEST(AdmissionControl, ThreadsComeAndGoWhileItLooks) {
  AdmissionControl control;  // with the budget and the pressure of this machine
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&control] {
      for (int i = 0; i < 5000; ++i) {
        auto [answer, ticket] = control.admit(i % 2 == 0 ? Priority::normal : Priority::low);
        ticket.start();
        if (i % 100 == 0) control.record_wait(1us);
        const AdmissionCounters counters = control.counters();
        EXPECT_LE(counters.waiting, counters.in_flight);
        EXPECT_LE(counters.in_flight, 4U);
        if (i % 1000 == 0) control.set_cpus(static_cast<std::uint32_t>(1 + i / 1000));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(control.counters().in_flight, 0U);
  EXPECT_EQ(control.counters().waiting, 0U);
}

}  // namespace
}  // namespace weft
