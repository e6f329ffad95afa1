// SPDX-License-Identifier: Apache-2.0
// os::SpinLock: one thread at a time, and nobody waits for ever.
#include "os/spin_lock.h"

#include <gtest/gtest.h>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/mutex.h"

namespace weft::model {
namespace {

void lock_of_two(Program& program) {
  exclusion<os::SpinLock>(program, 2);
}
void lock_of_three(Program& program) {
  exclusion<os::SpinLock>(program, 3);
}

// Who does not get the lock at once goes without it.
void try_lock_of_three(Program& program) {
  struct State {
    os::SpinLock lock;
    atomic<int> inside{0};
    atomic<int> entered{0};
  };
  auto& state = program.make<State>();
  for (int i = 0; i < 3; ++i) {
    program.thread([&] {
      if (!state.lock.try_lock()) return;
      check(state.inside.fetch_add(1) == 0, "two threads hold the lock");
      state.inside.fetch_sub(1);
      state.entered.fetch_add(1);
      state.lock.unlock();
    });
  }
  program.finally([&] {
    check(state.entered.load() >= 1, "nobody has got it");
    check(state.lock.try_lock(), "it stays locked");
  });
}

TEST(SpinLock, ExcludesInAllSchedules) {
  expect_all_pass({}, lock_of_two);
  expect_all_pass(2, lock_of_three);
  expect_all_pass({}, try_lock_of_three);
}
TEST(SpinLock, ExcludesAtRandom) {
  expect_random_pass(100'000, lock_of_three);
}
TEST(SpinLock, IsTriedAtRandom) {
  expect_random_pass(100'000, try_lock_of_three);
}

}  // namespace
}  // namespace weft::model
