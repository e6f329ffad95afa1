// SPDX-License-Identifier: Apache-2.0
// sync::Once: the routine is over once before any of the calls is.
#include "sync/once.h"

#include <gtest/gtest.h>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/locks.h"

namespace weft::model {
namespace {

struct State {
  sync::Once once;
  Guarded guarded;
  int throws = 0;  // so many times
};

// The routine has no argument.
constinit State* current = nullptr;

void routine() {
  current->guarded.enter();
  if (current->guarded.entered() <= current->throws) throw 0;
}

void calls(Program& program, int throws) {
  auto& state = program.make<State>();
  state.throws = throws;
  current = &state;
  for (int i = 0; i < 3; ++i) {
    home_thread(program, [&state] {
      try {
        check(state.once.call(routine) == 0, "not called");
      } catch (int) {
        return;
      }
      check(state.guarded.entered() == state.throws + 1, "it is not over, or was called again");
    });
  }
  program.finally([&state] { check(state.guarded.entered() == state.throws + 1, "not called"); });
}
void called_by_three(Program& program) {
  calls(program, 0);
}
void thrown_by_the_first(Program& program) {
  calls(program, 1);
}

TEST(Once, InAllSchedules) {
  expect_all_pass_undelayed(2, called_by_three);
  expect_all_pass_undelayed(2, thrown_by_the_first);
}
TEST(Once, IsCalledByThree) {
  expect_lock_passes(100'000, called_by_three);
}
TEST(Once, IsCalledAgainAfterAnException) {
  expect_lock_passes(100'000, thrown_by_the_first);
}

}  // namespace
}  // namespace weft::model
