// SPDX-License-Identifier: Apache-2.0
// sync::Barrier: all come before one leaves, and that one may destroy it.
#include "sync/barrier.h"

#include <gtest/gtest.h>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/locks.h"

namespace weft::model {
namespace {

void rounds(Program& program, int threads) {
  struct State {
    sync::Barrier barrier;
    atomic<int> came{0};
    atomic<int> told_serial{0};
  };
  auto& state = program.make<State>();
  state.barrier.init(static_cast<unsigned>(threads));
  for (int i = 0; i < threads; ++i) {
    home_thread(program, [&state, threads] {
      for (int round = 1; round <= 2; ++round) {
        state.came.fetch_add(1);
        if (state.barrier.wait() != 0) state.told_serial.fetch_add(1);
        check(state.came.load() >= threads * round, "one has left before all came");
      }
    });
  }
  program.finally([&state] {
    check(state.told_serial.load() == 2, "one of them is the serial thread");
    check(state.barrier.destroy() == 0, "somebody waits");
  });
}
void two_rounds_of_two(Program& program) {
  rounds(program, 2);
}
void two_rounds_of_three(Program& program) {
  rounds(program, 3);
}

// Barrier::destroy() would wait for its lock; here nobody may have that any more.
void destroyed_by_the_first(Program& program) {
  struct State {
    Perishable<sync::Barrier> barrier;
    atomic<int> left{0};
  };
  auto& state = program.make<State>();
  state.barrier->init(3);
  for (int i = 0; i < 3; ++i) {
    home_thread(program, [&state] {
      state.barrier->wait();
      if (state.left.fetch_add(1) == 0) state.barrier.destroy();
    });
  }
  program.finally([&state] { state.barrier.check_destroyed(); });
}

TEST(Barrier, InAllSchedules) {
  expect_all_pass_undelayed(3, two_rounds_of_two);
  expect_all_pass_undelayed(2, destroyed_by_the_first);
}
TEST(Barrier, IsUsedAgain) {
  expect_lock_passes(100'000, two_rounds_of_three);
}
TEST(Barrier, IsDestroyedByTheFirstToLeave) {
  expect_lock_passes(100'000, destroyed_by_the_first);
}

}  // namespace
}  // namespace weft::model
