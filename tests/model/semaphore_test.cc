// SPDX-License-Identifier: Apache-2.0
// sync::Semaphore: no token is lost or given twice, and who has taken one may destroy it.
#include "sync/semaphore.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/locks.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
using sync::Semaphore;

struct State {
  Semaphore semaphore;
  atomic<int> taken{0};

  void take(const sync::Deadline& deadline = sync::Deadline::none) {
    const int result = semaphore.wait_until(deadline);
    if (result == 0) {
      taken.fetch_add(1);
    } else {
      check(result == ETIMEDOUT && is_over(deadline), "gave up before the deadline");
    }
  }
  void check_over(int posted) {
    check(taken.load() + static_cast<int>(semaphore.value()) == posted, "tokens were lost or made");
  }
};

void two_wait_for_two(Program& program) {
  auto& state = program.make<State>();
  for (int i = 0; i < 2; ++i) home_thread(program, [&state] { state.take(); });
  for (int i = 0; i < 2; ++i) home_thread(program, [&state] { state.semaphore.post(); });
  program.finally([&state] { state.check_over(2); });
}

// A thread that waits and then posts, as users of a resource do.
void three_share_one(Program& program) {
  struct Resource {
    Semaphore semaphore;
    Guarded guarded;
  };
  auto& resource = program.make<Resource>();
  resource.semaphore.init(1);
  for (int i = 0; i < 3; ++i) {
    home_thread(program, [&resource] {
      resource.semaphore.wait();
      resource.guarded.enter();
      resource.semaphore.post();
    });
  }
  program.finally([&resource] {
    check(resource.guarded.entered() == 3, "a thread did not enter");
    check(resource.semaphore.value() == 1, "tokens were lost or made");
  });
}

void two_give_up(Program& program) {
  auto& state = program.make<State>();
  for (int i = 0; i < 2; ++i) home_thread(program, [&state] { state.take(in(5us)); });
  home_thread(program, [&state] {
    state.semaphore.post();
    state.semaphore.post();
  });
  program.finally([&state] { state.check_over(2); });
}

void one_gives_up_or_not(Program& program) {
  auto& state = program.make<State>();
  home_thread(program, [&state] { state.take(in(5us)); });
  home_thread(program, [&state] { state.semaphore.post(); });
  program.finally([&state] { state.check_over(1); });
}

// Who gives up does not take the token of who does not.
void one_gives_up(Program& program) {
  auto& state = program.make<State>();
  home_thread(program, [&state] { state.take(); });
  home_thread(program, [&state] { state.take(in(5us)); });
  for (int i = 0; i < 2; ++i) home_thread(program, [&state] { state.semaphore.post(); });
  program.finally([&state] {
    check(state.taken.load() >= 1, "nobody has taken one");
    state.check_over(2);
  });
}

// Who has waited for all tokens destroys the semaphore, while those who posted may still be inside.
void destroyed_by_the_last(Program& program, int count) {
  struct Shared {
    Perishable<Semaphore> semaphore;
    atomic<int> taken{0};
  };
  auto& shared = program.make<Shared>();
  for (int i = 0; i < count; ++i) {
    home_thread(program, [&shared, count] {
      shared.semaphore->wait();
      if (shared.taken.fetch_add(1) == count - 1) shared.semaphore.destroy();
    });
    home_thread(program, [&shared] { shared.semaphore->post(); });
  }
  program.finally([&shared] { shared.semaphore.check_destroyed(); });
}
void destroyed_by_one(Program& program) {
  destroyed_by_the_last(program, 1);
}
void destroyed_by_one_of_two(Program& program) {
  destroyed_by_the_last(program, 2);
}

TEST(Semaphore, InAllSchedules) {
  expect_all_pass_undelayed(5, destroyed_by_one);
  expect_all_pass_undelayed(1, two_wait_for_two);
  expect_all_pass_undelayed(3, one_gives_up_or_not);
}
TEST(Semaphore, TwoWaitForTwo) {
  expect_lock_passes(100'000, two_wait_for_two);
}
TEST(Semaphore, ThreeShareOne) {
  expect_lock_passes(100'000, three_share_one);
}
TEST(Semaphore, IsWaitedForUntilADeadline) {
  expect_lock_passes(100'000, two_give_up);
  expect_lock_passes(100'000, one_gives_up);
}
TEST(Semaphore, IsDestroyedByWhoHasWaited) {
  expect_lock_passes(100'000, destroyed_by_one);
  expect_lock_passes(100'000, destroyed_by_one_of_two);
}

}  // namespace
}  // namespace weft::model
