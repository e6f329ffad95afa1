// SPDX-License-Identifier: Apache-2.0
// Going idle against a wake, and the poller from one sleeper to the next: nobody is left alone.
#include <gtest/gtest.h>

#include <chrono>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/engine.h"
#include "programs/meeting.h"
#include "sched/park.h"
#include "sched/poller.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
using fiber::ParkKind;
using os::Descriptors;
using sched::Direction;
using sched::Waited;

constexpr int number = Descriptors::first;

void sleep_until(os::Instant deadline) {
  while (os::MonotonicClock::now() < deadline) sched::park(ParkKind::sleep, nullptr, deadline);
}

void read_from(sched::Poller& poller) {
  for (;;) {
    const sched::Edge before = poller.look(number, Direction::read);
    if (Descriptors::lower(number, EPOLLIN) != 0) return;
    check(poller.wait(number, Direction::read, before, os::never) == Waited::ready, "not ready");
  }
}

// Two fibers come from outside at about the same time, and each needs a worker.
void injected_fibers_meet(Program& program) {
  auto& meeting = program.make<Meeting>(2U);
  auto& engine = program.make<Engine>(program, workers(2), 4);
  engine.spawn([&] { meeting.come(); });
  engine.spawn([&] { meeting.come(); });
}

// One of them stands behind the other in the queue of a worker, who does not come back to it.
void queued_fibers_meet(Program& program) {
  auto& meeting = program.make<Meeting>(2U);
  auto& engine = program.make<Engine>(program, workers(2), 4);
  for (int i = 0; i < 2; ++i) {
    engine.spawn([&] {
      sched::yield();
      meeting.come();
    });
  }
}

// Two workers sleep, one of them in the poller, and there are three reasons to get up.
void events_timers_and_wakes(Program& program) {
  struct State {
    atomic<bool> told{false};
  };
  auto& state = program.make<State>();
  auto& engine = program.make<Engine>(program, workers(2), 4);
  Descriptors::open(number);
  engine.spawn([&] { read_from(engine.runtime().poller()); });
  auto& sleeper = engine.spawn([&state] {
    sleep_until(os::MonotonicClock::now() + 1ms);
    while (!state.told.load()) sched::park(ParkKind::other, &state);
  });
  engine.main([&] {
    Descriptors::raise(number, EPOLLIN);
    state.told.store(true);
    sched::unpark(*sleeper.fiber());
  });
}

// Whoever goes to sleep in the poller, for good, sees a timer that is made meanwhile, or is kicked.
void a_timer_against_sleep(Program& program) {
  struct State {
    atomic<bool> told{false};
  };
  auto& state = program.make<State>();
  auto& engine = program.make<Engine>(program, workers(2), 4);
  auto& waiter = engine.spawn([&state] {
    while (!state.told.load()) sched::park(ParkKind::other, &state);
  });
  engine.spawn([&] {
    sleep_until(os::MonotonicClock::now() + 1ms);
    state.told.store(true);
    sched::unpark(*waiter.fiber());
  });
}

// One from outside wakes a fiber again and again, as soon as it is answered: workers lie down and
// get up all the time.
void ping_pong_with_the_outside(Program& program) {
  struct State {
    atomic<int> asked{0};
    atomic<int> answered{0};
    fiber::Fiber* outside = nullptr;
  };
  constexpr int rounds = 3;
  auto& state = program.make<State>();
  auto& engine = program.make<Engine>(program, workers(2), 3);
  auto& inside = engine.spawn([&state] {
    for (int round = 1; round <= rounds; ++round) {
      while (state.asked.load() < round) sched::park(ParkKind::other, &state);
      state.answered.store(round);
      sched::unpark(*state.outside);
    }
  });
  engine.main([&] {
    state.outside = &fiber::self();
    for (int round = 1; round <= rounds; ++round) {
      state.asked.store(round);
      sched::unpark(*inside.fiber());
      while (state.answered.load() < round) sched::park(ParkKind::other, &state);
    }
  });
}

TEST(Idle, PingPongWithTheOutside) {
  expect_engine_pass(100'000, ping_pong_with_the_outside);
}
TEST(Idle, InjectedFibersMeet) {
  expect_engine_pass(100'000, injected_fibers_meet);
}
TEST(Idle, QueuedFibersMeet) {
  expect_engine_pass(100'000, queued_fibers_meet);
}
TEST(Idle, EventsTimersAndWakes) {
  expect_engine_pass(100'000, events_timers_and_wakes);
}
TEST(Idle, ATimerAgainstSleep) {
  expect_engine_pass(100'000, a_timer_against_sleep);
}

}  // namespace
}  // namespace weft::model
