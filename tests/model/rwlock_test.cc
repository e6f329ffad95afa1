// SPDX-License-Identifier: Apache-2.0
// sync::RwLock: readers together or one writer, nobody waits for ever, whoever is preferred.
#include "sync/rwlock.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/locks.h"
#include "sched/park.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
using sync::RwLock;

constexpr int readers_first = PTHREAD_RWLOCK_PREFER_READER_NP;
constexpr int writers_first = PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;

struct State {
  Perishable<RwLock> lock;
  atomic<int> inside{0};  // readers; or `a_writer`
  atomic<int> left{0};
  static constexpr int a_writer = 100;

  void read() {
    check(inside.fetch_add(1) < a_writer, "a reader and a writer are inside");
    inside.fetch_sub(1);
    leave();
  }
  void write() {
    check(inside.fetch_add(a_writer) == 0, "a writer is not alone");
    inside.fetch_sub(a_writer);
    leave();
  }
  void leave() {
    left.fetch_add(1);
    check(lock->unlock() == 0, "not unlocked");
  }
  void check_over(int came) {
    check(left.load() == came, "somebody did not get the lock");
    check(lock->destroy() == 0, "somebody has the lock, or waits for it");
  }
};

struct Threads {
  int readers;
  int writers;
};

void exclusion(Program& program, int preference, const Threads& threads) {
  auto& state = program.make<State>();
  state.lock->init(preference);
  for (int i = 0; i < threads.readers; ++i) {
    home_thread(program, [&state] {
      state.lock->read_lock();
      state.read();
    });
  }
  for (int i = 0; i < threads.writers; ++i) {
    home_thread(program, [&state] {
      state.lock->write_lock();
      state.write();
    });
  }
  program.finally([&state, threads] { state.check_over(threads.readers + threads.writers); });
}
void two_readers_first(Program& program) {
  exclusion(program, readers_first, {.readers = 2, .writers = 1});
}
void two_readers_and_writer_first(Program& program) {
  exclusion(program, writers_first, {.readers = 2, .writers = 1});
}
void two_writers(Program& program) {
  exclusion(program, readers_first, {.readers = 1, .writers = 2});
}
void two_writers_first(Program& program) {
  exclusion(program, writers_first, {.readers = 1, .writers = 2});
}

// All but one give up when they have waited for long enough.
void until_a_deadline(Program& program, int preference) {
  auto& state = program.make<State>();
  auto& gave_up = program.make<atomic<int>>(0);
  state.lock->init(preference);
  home_thread(program, [&state] {
    state.lock->write_lock();
    state.write();
  });
  home_thread(program, [&] {
    const sync::Deadline deadline = in(5us);
    if (state.lock->read_lock_until(deadline) == 0) return state.read();
    check(is_over(deadline), "gave up before the deadline");
    gave_up.fetch_add(1);
  });
  home_thread(program, [&] {
    const sync::Deadline deadline = in(10us);
    if (state.lock->write_lock_until(deadline) == 0) return state.write();
    check(is_over(deadline), "gave up before the deadline");
    gave_up.fetch_add(1);
  });
  home_thread(program, [&state] {
    state.lock->read_lock();
    state.read();
  });
  program.finally([&] { state.check_over(4 - gave_up.load()); });
}
void readers_first_until_a_deadline(Program& program) {
  until_a_deadline(program, readers_first);
}
void writers_first_until_a_deadline(Program& program) {
  until_a_deadline(program, writers_first);
}

// A reader has the lock until another has it too. A writer that waits in between keeps that one
// out, but gives up.
void writer_lets_readers_in(Program& program) {
  struct Together : State {
    atomic<int> read{0};
  };
  auto& state = program.make<Together>();
  state.lock->init(writers_first);
  for (int i = 0; i < 2; ++i) {
    home_thread(program, [&state] {
      state.lock->read_lock();
      if (state.read.fetch_add(1) == 0) {
        state.read.wait(1);
      } else {
        state.read.notify_one();
      }
      state.lock->unlock();
    });
  }
  home_thread(program, [&state] {
    if (state.lock->write_lock_until(in(5us)) == 0) state.lock->unlock();
  });
  program.finally([&state] { state.check_over(0); });
}

// Where writers are preferred, a reader that comes after one has begun to wait comes in after it.
void reader_after_writer(Program& program) {
  struct InOrder : State {
    fiber::Fiber* writer = nullptr;
    atomic<bool> written{false};
  };
  auto& state = program.make<InOrder>();
  state.lock->init(writers_first);
  auto& record = program.make<fiber::Record>(10);
  state.writer = &record.fiber();
  program.thread([&] {
    const fiber::Identity identity(record);
    state.lock->write_lock();
    state.written.store(true);
    state.write();
  });
  for (int i = 0; i < 2; ++i) {
    home_thread(program, [&state] {
      // It has queued by then.
      const bool waits = state.writer->waits_for.load() == &*state.lock;
      state.lock->read_lock();
      check(!waits || state.written.load(), "a reader has overtaken a writer");
      state.read();
    });
  }
  program.finally([&state] { state.check_over(3); });
}

// Longer than a writer has to bear with others who come later.
void long_waits(Program& program, int preference) {
  auto& state = program.make<State>();
  state.lock->init(preference);
  home_thread(program, [&state] {
    state.lock->write_lock();
    const os::Instant until = os::MonotonicClock::now() + 2 * sync::Waiter::starving_after;
    while (os::MonotonicClock::now() < until) {
      sched::park(fiber::ParkKind::sleep, nullptr, until);
    }
    state.write();
    state.lock->write_lock();
    state.write();
    state.lock->read_lock();
    state.read();
  });
  for (int i = 0; i < 2; ++i) {
    home_thread(program, [&state] {
      state.lock->write_lock();
      state.write();
    });
  }
  program.finally([&state] { state.check_over(5); });
}
void long_waits_readers_first(Program& program) {
  long_waits(program, readers_first);
}
void long_waits_writers_first(Program& program) {
  long_waits(program, writers_first);
}

// The last writer destroys it, when the others have left.
void destroyed(Program& program) {
  auto& state = program.make<State>();
  state.lock->init(readers_first);
  for (int i = 0; i < 2; ++i) {
    home_thread(program, [&state] {
      state.lock->read_lock();
      state.read();
    });
  }
  home_thread(program, [&state] {
    for (bool last = false; !last;) {
      state.lock->write_lock();
      last = state.left.load() == 2;
      check(state.lock->unlock() == 0, "not unlocked");
      if (!last) base::yield();
    }
    state.lock.destroy();
  });
  program.finally([&state] { state.lock.check_destroyed(); });
}

TEST(RwLock, ExcludesInAllSchedules) {
  expect_all_pass_undelayed(2, two_readers_first);
  expect_all_pass_undelayed(2, two_readers_and_writer_first);
  expect_all_pass_undelayed(2, two_writers_first);
}
TEST(RwLock, ReadersFirst) {
  expect_lock_passes(100'000, two_readers_first);
  expect_lock_passes(100'000, two_writers);
}
TEST(RwLock, WritersFirst) {
  expect_lock_passes(100'000, two_readers_and_writer_first);
  expect_lock_passes(100'000, two_writers_first);
}
TEST(RwLock, UntilADeadline) {
  expect_lock_passes(100'000, readers_first_until_a_deadline);
  expect_lock_passes(100'000, writers_first_until_a_deadline);
}
TEST(RwLock, WriterLetsReadersIn) {
  expect_lock_passes(100'000, writer_lets_readers_in);
}
TEST(RwLock, ReaderAfterWriter) {
  expect_lock_passes(100'000, reader_after_writer);
}
TEST(RwLock, IsHandedToWhoWaitsForLong) {
  expect_lock_passes(100'000, long_waits_readers_first);
  expect_lock_passes(100'000, long_waits_writers_first);
}
TEST(RwLock, IsDestroyedByTheNextOwner) {
  expect_lock_passes(100'000, destroyed);
}

}  // namespace
}  // namespace weft::model
