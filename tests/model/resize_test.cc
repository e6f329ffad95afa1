// SPDX-License-Identifier: Apache-2.0
// A pool that shrinks and grows: no fiber stays behind with a worker that is given up.
#include <gtest/gtest.h>

#include <chrono>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/engine.h"
#include "programs/meeting.h"
#include "sched/park.h"
#include "sched/thread.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
using fiber::ParkKind;

// After all that there are two workers again, who run two fibers at once.
void shrinks_and_grows(Program& program) {
  struct State {
    Meeting meeting{2};
    atomic<bool> go{false};
  };
  auto& state = program.make<State>();
  // One more than two carriers and two homes: the worker may be wanted back before its carrier is
  // spare.
  auto& engine = program.make<Engine>(program, workers(2), 5);
  const auto meet = [&state] {
    while (!state.go.load()) sched::park(ParkKind::other, &state);
    state.meeting.come();
  };
  auto& first = engine.spawn(meet);
  auto& second = engine.spawn(meet);
  engine.main([&] {
    engine.runtime().resize(1);
    engine.runtime().resize(2);
    state.go.store(true);
    sched::unpark(*first.fiber());
    sched::unpark(*second.fiber());
  });
}

// Fibers wake each other and stop, and what one of them has woken stands with a worker that goes.
void shrinks_under_a_ping_pong(Program& program) {
  struct State {
    atomic<int> turn{0};
  };
  auto& state = program.make<State>();
  auto& engine = program.make<Engine>(program, workers(2), 4);
  Spawned* players[2] = {};
  static Spawned* opponents[2];
  for (int i = 0; i < 2; ++i) {
    players[i] = &engine.spawn([&state, i] {
      for (int round = 0; round < 2; ++round) {
        while (state.turn.load() != 2 * round + i) sched::park(ParkKind::other, &state);
        state.turn.store(2 * round + i + 1);
        sched::unpark(*opponents[1 - i]->fiber());
      }
    });
    opponents[i] = players[i];
  }
  engine.main([&] { engine.runtime().resize(1); });
}

// The one that sleeps in the poller is one too many: another has to go there.
void shrinks_while_a_timer_runs(Program& program) {
  auto& engine = program.make<Engine>(program, workers(2), 3);
  engine.spawn([] {
    const os::Instant deadline = os::MonotonicClock::now() + 1ms;
    while (os::MonotonicClock::now() < deadline) sched::park(ParkKind::sleep, nullptr, deadline);
  });
  engine.main([&] { engine.runtime().resize(1); });
}

// What may run on one worker only, which is given up, runs on the first.
void shrinks_with_a_pinned_fiber(Program& program) {
  struct State {
    atomic<bool> told{false};
  };
  auto& state = program.make<State>();
  auto& engine = program.make<Engine>(program, workers(2), 3);
  auto& pinned = engine.spawn([&] {
    sched::pin_to(&engine.runtime().worker_at(1));
    while (!state.told.load()) sched::park(ParkKind::other, &state);
  });
  engine.main([&] {
    engine.runtime().resize(1);
    state.told.store(true);
    sched::unpark(*pinned.fiber());
  });
}

// Two who give up their turns, and then need a worker each.
void ends_turns_while_it_shrinks(Program& program) {
  auto& meeting = program.make<Meeting>(2U);
  auto& engine = program.make<Engine>(program, workers(2), 5);
  for (int i = 0; i < 2; ++i) {
    engine.spawn([&] {
      for (int turn = 0; turn < 2; ++turn) {
        if (sched::be_away(fiber::self())) sched::end_turn(fiber::self());
      }
      meeting.come();
    });
  }
  engine.main([&] {
    engine.runtime().resize(1);
    engine.runtime().resize(2);
  });
}

TEST(Resize, EndsTurnsWhileItShrinks) {
  expect_engine_pass(30'000, ends_turns_while_it_shrinks);
}
TEST(Resize, ShrinksWithAPinnedFiber) {
  expect_engine_pass(20'000, shrinks_with_a_pinned_fiber);
}
TEST(Resize, ShrinksAndGrows) {
  expect_engine_pass(100'000, shrinks_and_grows);
}
TEST(Resize, ShrinksUnderAPingPong) {
  expect_engine_pass(30'000, shrinks_under_a_ping_pong);
}
TEST(Resize, ShrinksWhileATimerRuns) {
  expect_engine_pass(30'000, shrinks_while_a_timer_runs);
}

}  // namespace
}  // namespace weft::model
