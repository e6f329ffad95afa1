// SPDX-License-Identifier: Apache-2.0
// sync::Mutex: one thread at a time, nobody waits for ever, and who has unlocked it has let it go.
#include "sync/mutex.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/locks.h"
#include "sched/park.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
using sync::Mutex;

struct State {
  Mutex mutex;
  Guarded guarded;

  void enter() {
    check(mutex.lock() == 0, "not locked");
    guarded.enter();
    mutex.unlock();
  }
  // At the end: so many have entered, and nothing is left of them in the mutex.
  void check_over(int entered) {
    check(guarded.entered() == entered, "a thread did not enter");
    check(mutex.destroy() == 0, "somebody has it, or waits for it");
  }
};

void exclusion(Program& program, int threads, int rounds) {
  auto& state = program.make<State>();
  for (int i = 0; i < threads; ++i) {
    home_thread(program, [&state, rounds] {
      for (int round = 0; round < rounds; ++round) state.enter();
    });
  }
  program.finally([&state, threads, rounds] { state.check_over(threads * rounds); });
}
void two_come_twice(Program& program) {
  exclusion(program, 2, 2);
}
void three_come(Program& program) {
  exclusion(program, 3, 1);
}
void three_come_twice(Program& program) {
  exclusion(program, 3, 2);
}

// Who gives up has waited long enough, and takes nothing with it that another needs.
void one_of_three_gives_up(Program& program) {
  auto& state = program.make<State>();
  auto& gave_up = program.make<atomic<int>>(0);
  for (int i = 0; i < 2; ++i) home_thread(program, [&state] { state.enter(); });
  home_thread(program, [&] {
    const sync::Deadline deadline = in(5us);
    const int result = state.mutex.lock_until(deadline);
    if (result == 0) {
      state.guarded.enter();
      state.mutex.unlock();
      return;
    }
    check(result == ETIMEDOUT && is_over(deadline), "gave up before the deadline");
    gave_up.store(1);
  });
  program.finally([&] { state.check_over(3 - gave_up.load()); });
}

void two_of_three_give_up(Program& program) {
  auto& state = program.make<State>();
  auto& gave_up = program.make<atomic<int>>(0);
  home_thread(program, [&state] {
    for (int round = 0; round < 2; ++round) state.enter();
  });
  for (int i = 0; i < 2; ++i) {
    home_thread(program, [&, i] {
      if (state.mutex.lock_until(in(5us * (i + 1))) != 0) {
        gave_up.fetch_add(1);
        return;
      }
      state.guarded.enter();
      state.mutex.unlock();
    });
  }
  program.finally([&] { state.check_over(4 - gave_up.load()); });
}

// Longer than a waiter has to bear with others who come later.
void sleep_long() {
  const os::Instant until = os::MonotonicClock::now() + 2 * sync::Waiter::starving_after;
  while (os::MonotonicClock::now() < until) {
    sched::park(fiber::ParkKind::sleep, nullptr, until);
  }
}

// Whether the word says that who waits first gets the mutex next.
bool is_handed_on(const Mutex& mutex) {
  constexpr std::uint32_t starving = 16;
  std::uint32_t word = 0;
  std::memcpy(&word, static_cast<const void*>(&mutex), sizeof word);
  return (word & starving) != 0;
}

// One comes again and again. Once the other has waited for so long that it has a right to the
// mutex, it gets it before that one does. `hand_overs` counts in all schedules.
void long_wait(Program& program, std::uint64_t& hand_overs) {
  struct Overtaken : State {
    atomic<bool> entered{false};
  };
  auto& state = program.make<Overtaken>();
  home_thread(program, [&state, &hand_overs] {
    bool handed_on = false;
    for (int round = 0; round < 3; ++round) {
      state.mutex.lock();
      check(!handed_on || state.entered.load(), "overtook who had a right to the mutex");
      if (round == 0) sleep_long();
      state.guarded.enter();
      if (is_handed_on(state.mutex)) {
        handed_on = true;
        ++hand_overs;
      }
      state.mutex.unlock();
    }
  });
  home_thread(program, [&state] {
    state.mutex.lock();
    state.entered.store(true);
    state.guarded.enter();
    state.mutex.unlock();
  });
  program.finally([&state] { state.check_over(4); });
}

// Of those who wait for long, one gives up.
void long_waits(Program& program) {
  auto& state = program.make<State>();
  auto& gave_up = program.make<atomic<int>>(0);
  home_thread(program, [&state] {
    state.mutex.lock();
    sleep_long();
    state.guarded.enter();
    state.mutex.unlock();
    for (int round = 0; round < 2; ++round) state.enter();
  });
  home_thread(program, [&state] { state.enter(); });
  home_thread(program, [&] {
    if (state.mutex.lock_until(in(3ms)) != 0) {
      gave_up.store(1);
      return;
    }
    state.guarded.enter();
    state.mutex.unlock();
  });
  program.finally([&] { state.check_over(5 - gave_up.load()); });
}

// The last one to have it destroys it, as programs do that count references under the mutex.
void destroyed_by_the_last(Program& program, int kind, bool sleeps) {
  struct Counted {
    Perishable<Mutex> mutex;
    Guarded guarded;
    int references = 5;
  };
  auto& state = program.make<Counted>();
  state.mutex->init(kind);
  const auto release = [&state](bool sleep) {
    state.mutex->lock();
    if (sleep) sleep_long();
    state.guarded.enter();
    const bool last = --state.references == 0;
    check(state.mutex->unlock() == 0, "not unlocked");
    if (last) state.mutex.destroy();
  };
  home_thread(program, [release, sleeps] {
    release(sleeps);
    release(false);
    release(false);
  });
  for (int i = 0; i < 2; ++i) home_thread(program, [release] { release(false); });
  program.finally([&state] { state.mutex.check_destroyed(); });
}
void destroyed(Program& program) {
  destroyed_by_the_last(program, PTHREAD_MUTEX_NORMAL, false);
}
void destroyed_after_a_long_wait(Program& program) {
  destroyed_by_the_last(program, PTHREAD_MUTEX_NORMAL, true);
}
void destroyed_with_owner(Program& program) {
  destroyed_by_the_last(program, PTHREAD_MUTEX_ERRORCHECK, false);
}

// Who has it may take it again; nobody else can let go of it.
void recursive(Program& program) {
  auto& state = program.make<State>();
  state.mutex.init(PTHREAD_MUTEX_RECURSIVE);
  for (int i = 0; i < 3; ++i) {
    home_thread(program, [&state, i] {
      check(state.mutex.unlock() == EPERM, "unlocked what another one has");
      check(state.mutex.lock() == 0, "not locked");
      check((i == 0 ? state.mutex.try_lock() : state.mutex.lock()) == 0, "not locked again");
      check(state.mutex.unlock() == 0, "not unlocked once");
      state.guarded.enter();
      check(state.mutex.unlock() == 0, "not unlocked");
    });
  }
  program.finally([&state] { state.check_over(3); });
}

TEST(Mutex, ExcludesInAllSchedules) {
  expect_all_pass_undelayed(4, two_come_twice);
  expect_all_pass_undelayed(2, three_come);
  expect_all_pass_undelayed(2, three_come_twice);
}
TEST(Mutex, ExcludesAtRandom) {
  expect_lock_passes(100'000, three_come);
  expect_lock_passes(100'000, three_come_twice);
}
TEST(Mutex, IsWaitedForUntilADeadlineInAllSchedules) {
  expect_all_pass_undelayed(2, one_of_three_gives_up);
}
TEST(Mutex, IsWaitedForUntilADeadline) {
  expect_lock_passes(100'000, one_of_three_gives_up);
}
TEST(Mutex, IsWaitedForUntilADeadlineByTwo) {
  expect_lock_passes(100'000, two_of_three_give_up);
}
TEST(Mutex, IsHandedToWhoWaitsForLong) {
  std::uint64_t hand_overs = 0;
  const Body body = [&hand_overs](Program& program) { long_wait(program, hand_overs); };
  expect_all_pass_undelayed(2, body);
  expect_lock_passes(100'000, body);
  EXPECT_GT(hand_overs, 1'000U);
}
TEST(Mutex, IsHandedFromOneToTheOther) {
  expect_lock_passes(100'000, long_waits);
}
TEST(Mutex, IsDestroyedByTheNextOwner) {
  expect_lock_passes(100'000, destroyed);
}
TEST(Mutex, IsDestroyedAfterALongWait) {
  expect_lock_passes(100'000, destroyed_after_a_long_wait);
}
TEST(Mutex, WithAnOwnerIsDestroyedByTheNext) {
  expect_lock_passes(100'000, destroyed_with_owner);
}
TEST(Mutex, IsRecursive) {
  expect_lock_passes(100'000, recursive);
}

}  // namespace
}  // namespace weft::model
