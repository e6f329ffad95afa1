// SPDX-License-Identifier: Apache-2.0
// sync::Condition: no signal is lost or counts twice, and who has broadcast may destroy it.
#include "sync/condition.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/locks.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
using sync::Condition;
using sync::Mutex;

// How many of something there are, and who waits for one.
struct State {
  Mutex mutex;
  Condition condition;
  int tokens = 0;
  int taken = 0;

  // False: the deadline was over first.
  bool take(const sync::Deadline& deadline = sync::Deadline::none) {
    mutex.lock();
    bool in_time = true;
    while (in_time && tokens == 0) in_time = condition.wait_until(mutex, deadline) == 0;
    check(in_time || is_over(deadline), "gave up before the deadline");
    if (in_time) {
      --tokens;
      ++taken;
    }
    mutex.unlock();
    return in_time;
  }
  void give(bool signals_locked) {
    mutex.lock();
    ++tokens;
    if (signals_locked) condition.signal();
    mutex.unlock();
    if (!signals_locked) condition.signal();
  }
  void check_over(int all_taken) {
    check(taken == all_taken && tokens == 0, "a token was lost");
    check(mutex.destroy() == 0, "somebody has the mutex, or waits for it");
    check(condition.destroy() == 0, "somebody is on the condition");
  }
};

void one_waits(Program& program, bool signals_locked) {
  auto& state = program.make<State>();
  home_thread(program, [&state] { state.take(); });
  home_thread(program, [&state, signals_locked] { state.give(signals_locked); });
  program.finally([&state] { state.check_over(1); });
}
void signalled_locked(Program& program) {
  one_waits(program, true);
}
void signalled_unlocked(Program& program) {
  one_waits(program, false);
}

void two_wait(Program& program, bool signals_locked) {
  auto& state = program.make<State>();
  for (int i = 0; i < 2; ++i) home_thread(program, [&state] { state.take(); });
  home_thread(program, [&state, signals_locked] {
    state.give(signals_locked);
    state.give(signals_locked);
  });
  program.finally([&state] { state.check_over(2); });
}
void both_signalled_locked(Program& program) {
  two_wait(program, true);
}
void both_signalled_unlocked(Program& program) {
  two_wait(program, false);
}

// There is one token. Who takes it hands it on; who gives up does not keep the signal that the
// other needs.
void one_of_two_gives_up(Program& program, bool signals_locked) {
  auto& state = program.make<State>();
  home_thread(program, [&state] { state.take(); });
  home_thread(program, [&state, signals_locked] {
    if (!state.take(in(5us))) return;
    --state.taken;  // one has it, so nobody else is near
    state.give(signals_locked);
  });
  home_thread(program, [&state, signals_locked] { state.give(signals_locked); });
  program.finally([&state] { state.check_over(1); });
}
void gives_up_signalled_locked(Program& program) {
  one_of_two_gives_up(program, true);
}
void gives_up_signalled_unlocked(Program& program) {
  one_of_two_gives_up(program, false);
}

// Each signal is for one: of two that wait, and both give up in the end, one takes the token.
void one_signal_for_two(Program& program) {
  auto& state = program.make<State>();
  for (int i = 0; i < 2; ++i) home_thread(program, [&state] { state.take(in(5us)); });
  home_thread(program, [&state] { state.give(false); });
  program.finally([&state] {
    check(state.taken + state.tokens == 1, "the token was taken twice");
    check(state.mutex.destroy() == 0, "somebody has the mutex, or waits for it");
    check(state.condition.destroy() == 0, "somebody is on the condition");
  });
}

// A door: all that wait go in when it is open.
struct Door {
  Perishable<Mutex> mutex;
  Perishable<Condition> condition;
  Guarded guarded;
  bool open = false;

  // With the mutex locked.
  void wait(const sync::Deadline& deadline = sync::Deadline::none) {
    while (!open && condition->wait_until(*mutex, deadline) == 0) continue;
    guarded.enter();
  }
  void check_over(int entered) {
    check(guarded.entered() == entered, "a thread did not enter");
    check(mutex->destroy() == 0, "somebody has the mutex, or waits for it");
  }
};

// Another thread only locks the mutex, and may be the one who has it when the waiters are moved.
void all_wait(Program& program, bool broadcasts_locked, bool another) {
  auto& door = program.make<Door>();
  for (int i = 0; i < 2; ++i) {
    home_thread(program, [&door] {
      door.mutex->lock();
      door.wait();
      door.mutex->unlock();
    });
  }
  home_thread(program, [&door, broadcasts_locked] {
    door.mutex->lock();
    door.open = true;
    if (broadcasts_locked) door.condition->broadcast();
    door.mutex->unlock();
    if (!broadcasts_locked) door.condition->broadcast();
  });
  if (another) {
    home_thread(program, [&door] {
      door.mutex->lock();
      door.guarded.enter();
      door.mutex->unlock();
    });
  }
  program.finally([&door, another] {
    door.check_over(another ? 3 : 2);
    check(door.condition->destroy() == 0, "somebody is on the condition");
  });
}
void broadcast_locked(Program& program) {
  all_wait(program, true, false);
}
void broadcast_unlocked(Program& program) {
  all_wait(program, false, false);
}
void broadcast_with_another_locker(Program& program) {
  all_wait(program, false, true);
}

// Nobody is on the condition after a broadcast, not even who gives up at that moment.
void destroyed_by_who_broadcasts(Program& program, int waiters) {
  auto& door = program.make<Door>();
  for (int i = 0; i < waiters; ++i) {
    home_thread(program, [&door, i] {
      door.mutex->lock();
      door.wait(in(5us * (i + 1)));
      door.mutex->unlock();
    });
  }
  home_thread(program, [&door] {
    door.mutex->lock();
    door.open = true;
    door.condition->broadcast();
    check(door.condition->destroy() == 0, "somebody is on the condition");
    door.condition.destroy();
    door.mutex->unlock();
  });
  program.finally([&door, waiters] {
    door.check_over(waiters);
    door.condition.check_destroyed();
  });
}
void one_is_broadcast_to_then_destroyed(Program& program) {
  destroyed_by_who_broadcasts(program, 1);
}
void broadcast_then_destroyed(Program& program) {
  destroyed_by_who_broadcasts(program, 2);
}

// Who was waited for is done with both once the waiter has the mutex.
void destroyed_by_the_waiter(Program& program) {
  auto& door = program.make<Door>();
  home_thread(program, [&door] {
    door.mutex->lock();
    door.wait();
    door.mutex->unlock();
    door.mutex.destroy();
    door.condition.destroy();
  });
  home_thread(program, [&door] {
    door.mutex->lock();
    door.open = true;
    door.condition->signal();
    door.mutex->unlock();
  });
  program.finally([&door] {
    door.mutex.check_destroyed();
    door.condition.check_destroyed();
  });
}

// All levels are released while it waits, and are there again afterwards.
void recursive_mutex(Program& program) {
  auto& state = program.make<State>();
  state.mutex.init(PTHREAD_MUTEX_RECURSIVE);
  for (int i = 0; i < 2; ++i) {
    home_thread(program, [&state, i] {
      state.mutex.lock();
      state.take(i == 0 ? sync::Deadline::none : in(5us));
      check(state.mutex.check_held() == 0, "a level was lost");
      check(state.mutex.unlock() == 0, "not unlocked");
    });
  }
  home_thread(program, [&state] {
    state.give(true);
    state.give(false);
  });
  program.finally([&state] {
    check(state.taken + state.tokens == 2, "a token was lost");
    check(state.mutex.destroy() == 0, "somebody has the mutex, or waits for it");
  });
}

TEST(Condition, InAllSchedules) {
  expect_all_pass_undelayed(3, signalled_locked);
  expect_all_pass_undelayed(3, signalled_unlocked);
  expect_all_pass_undelayed(3, destroyed_by_the_waiter);
}
TEST(Condition, OfTwoInAllSchedules) {
  expect_all_pass_undelayed(2, both_signalled_locked);
  expect_all_pass_undelayed(2, broadcast_unlocked);
}
TEST(Condition, Signalled) {
  expect_lock_passes(100'000, signalled_locked);
  expect_lock_passes(100'000, signalled_unlocked);
}
TEST(Condition, SignalledTwice) {
  expect_lock_passes(100'000, both_signalled_locked);
  expect_lock_passes(100'000, both_signalled_unlocked);
}
TEST(Condition, SignalledWhenOneGivesUp) {
  expect_lock_passes(100'000, gives_up_signalled_locked);
  expect_lock_passes(100'000, gives_up_signalled_unlocked);
}
TEST(Condition, OneSignalIsForOne) {
  expect_lock_passes(100'000, one_signal_for_two);
}
TEST(Condition, BroadcastMovesToTheMutex) {
  expect_lock_passes(100'000, broadcast_locked);
  expect_lock_passes(100'000, broadcast_unlocked);
}
TEST(Condition, BroadcastWithAnotherLocker) {
  expect_lock_passes(100'000, broadcast_with_another_locker);
}
TEST(Condition, DestroyedAfterBroadcastInAllSchedules) {
  expect_all_pass_undelayed(2, one_is_broadcast_to_then_destroyed);
}
TEST(Condition, DestroyedAfterBroadcast) {
  expect_lock_passes(100'000, broadcast_then_destroyed);
}
TEST(Condition, DestroyedByTheWaiter) {
  expect_lock_passes(100'000, destroyed_by_the_waiter);
}
TEST(Condition, WithARecursiveMutex) {
  expect_lock_passes(100'000, recursive_mutex);
}

}  // namespace
}  // namespace weft::model
