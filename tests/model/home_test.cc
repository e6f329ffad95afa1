// SPDX-License-Identifier: Apache-2.0
// Going home and leaving it, against wakes: a fiber is continued by one kernel thread at a time.
#include <gtest/gtest.h>

#include <chrono>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/engine.h"
#include "sched/park.h"
#include "sched/thread.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
using fiber::ParkKind;

// What a fiber does is done by one kernel thread; so is what two halves of it say.
struct Alone {
  atomic<int> inside{0};
  void step() {
    check(inside.fetch_add(1) == 0, "two kernel threads run the fiber");
    inside.fetch_sub(1);
  }
};

// It goes to and fro, and parks in both places; the wakes come from a fiber and from outside.
void to_and_fro(Program& program) {
  struct State {
    Alone alone;
    atomic<int> said{0};
    void wait_for(int count) {
      while (said.load() < count) {
        alone.step();
        sched::park(ParkKind::other, this);
      }
    }
    void say(fiber::Fiber& to) {
      said.fetch_add(1);
      sched::unpark(to);
    }
  };
  auto& state = program.make<State>();
  auto& engine = program.make<Engine>(program, workers(2), 4);
  auto& traveller = engine.spawn([&engine, &state] {
    fiber::Fiber& self = fiber::self();
    check(sched::be_away(self), "it has not left");
    state.wait_for(1);
    sched::go_home("model test");
    check(self.is_home(), "it is not home");
    state.alone.step();
    state.wait_for(2);
    engine.leave_home();
    check(!self.is_home(), "it has not left again");
    state.alone.step();
  });
  engine.spawn([&] { state.say(*traveller.fiber()); });
  engine.main([&] { state.say(*traveller.fiber()); });
}

// Home may still be on its way to sleep when it is wanted again.
void there_and_back(Program& program) {
  auto& engine = program.make<Engine>(program, workers(1), 2);
  auto& alone = program.make<Alone>();
  engine.spawn([&engine, &alone] {
    fiber::Fiber& self = fiber::self();
    check(sched::be_away(self), "it has not left");
    alone.step();
    sched::go_home("model test");
    check(self.is_home(), "it is not home");
    alone.step();
    engine.leave_home();
    check(!self.is_home(), "it has not left again");
    alone.step();
  });
}

// Parks with a deadline on the way: the timer is one that nobody waits for any more.
void timers_on_the_way(Program& program) {
  auto& engine = program.make<Engine>(program, workers(1), 2);
  auto& alone = program.make<Alone>();
  engine.spawn([&engine, &alone] {
    fiber::Fiber& self = fiber::self();
    check(sched::be_away(self), "it has not left");
    for (int i = 0; i < 2; ++i) {
      sched::park(ParkKind::sleep, nullptr, os::MonotonicClock::now() + 100us);
      alone.step();
      sched::go_home("model test");
      check(self.is_home(), "it is not home");
      sched::park(ParkKind::sleep, nullptr, os::MonotonicClock::now() + 100us);
      alone.step();
      engine.leave_home();
      check(!self.is_home(), "it has not left");
    }
  });
}

// A fiber joins another, whose home ends meanwhile.
void joined_by_a_fiber(Program& program) {
  struct State {
    atomic<bool> over{false};
  };
  auto& state = program.make<State>();
  auto& engine = program.make<Engine>(program, workers(1), 3);
  auto& joined = engine.spawn([&state] { state.over.store(true); });
  engine.spawn([&] {
    joined.join();
    check(state.over.load(), "joined before it was over");
  });
}

TEST(Home, ThereAndBack) {
  expect_engine_pass(30'000, there_and_back);
}
TEST(Home, ToAndFro) {
  expect_engine_pass(100'000, to_and_fro);
}
TEST(Home, TimersOnTheWay) {
  expect_engine_pass(20'000, timers_on_the_way);
}
TEST(Home, JoinedByAFiber) {
  expect_engine_pass(20'000, joined_by_a_fiber);
}

}  // namespace
}  // namespace weft::model
