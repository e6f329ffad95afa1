// SPDX-License-Identifier: Apache-2.0
// Mutexes of every kind between threads: errors, deadlines, load.
#include "sync/mutex.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "sync/test_threads.h"

namespace weft::sync {
namespace {

using testing::in;
using testing::invalid_deadline;
using testing::run_together;
using testing::TestThread;
using namespace std::chrono_literals;

constexpr int kinds[] = {PTHREAD_MUTEX_TIMED_NP, PTHREAD_MUTEX_RECURSIVE_NP,
                         PTHREAD_MUTEX_ERRORCHECK_NP, PTHREAD_MUTEX_ADAPTIVE_NP};

pthread_mutex_t object_of(int kind) {
  pthread_mutex_t object = PTHREAD_MUTEX_INITIALIZER;
  object.__data.__kind = kind;
  return object;
}

TEST(MutexTest, WorksFromEveryStaticInitialiser) {
  pthread_mutex_t objects[] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                               PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
                               PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};
  for (pthread_mutex_t& object : objects) {
    Mutex& mutex = as_mutex(&object);
    EXPECT_TRUE(mutex.is_ours());
    EXPECT_EQ(mutex.lock(), 0);
    EXPECT_EQ(mutex.destroy(), EBUSY);
    std::thread([&] { EXPECT_EQ(mutex.try_lock(), EBUSY); }).join();
    EXPECT_EQ(mutex.unlock(), 0);
    EXPECT_EQ(mutex.try_lock(), 0);
    EXPECT_EQ(mutex.unlock(), 0);
    EXPECT_EQ(mutex.lock_until(in(-1s)), 0) << "it is free";
    EXPECT_EQ(mutex.unlock(), 0);
    EXPECT_EQ(mutex.destroy(), 0);
    EXPECT_FALSE(mutex.is_ours()) << "libc answers EINVAL from now on";
  }
}

TEST(MutexTest, LeavesToLibcWhatIsLibcs) {
  for (const int bit : {16, 32, 64, 128}) {
    pthread_mutex_t object = object_of(bit | PTHREAD_MUTEX_RECURSIVE);
    EXPECT_FALSE(as_mutex(&object).is_ours()) << bit;
  }
  pthread_mutex_t without_elision = object_of(512);
  EXPECT_TRUE(as_mutex(&without_elision).is_ours());
}

TEST(MutexTest, InitMakesAnyKind) {
  for (const int kind : kinds) {
    pthread_mutex_t object;
    std::memset(&object, 0xA5, sizeof object);
    EXPECT_EQ(as_mutex(&object).init(kind), 0);
    EXPECT_EQ(object.__data.__kind, kind);
    EXPECT_EQ(as_mutex(&object).lock(), 0);
    EXPECT_EQ(as_mutex(&object).unlock(), 0);
  }
  pthread_mutex_t object;
  EXPECT_EQ(as_mutex(&object).init(4), EINVAL);
}

TEST(MutexTest, RecursiveCountsItsLevels) {
  pthread_mutex_t object = object_of(PTHREAD_MUTEX_RECURSIVE);
  Mutex& mutex = as_mutex(&object);
  EXPECT_EQ(mutex.unlock(), EPERM);
  EXPECT_EQ(mutex.lock(), 0);
  EXPECT_EQ(mutex.lock(), 0);
  EXPECT_EQ(mutex.try_lock(), 0);
  EXPECT_EQ(mutex.lock_until(in(-1s)), 0);
  for (int level = 4; level > 0; --level) {
    std::thread([&] {
      EXPECT_EQ(mutex.try_lock(), EBUSY);
      EXPECT_EQ(mutex.unlock(), EPERM);
    }).join();
    EXPECT_EQ(mutex.unlock(), 0);
  }
  EXPECT_EQ(mutex.unlock(), EPERM);
  std::thread([&] {
    EXPECT_EQ(mutex.lock(), 0);
    EXPECT_EQ(mutex.unlock(), 0);
  }).join();
}

TEST(MutexTest, RecursiveStopsAtTheLastLevel) {
  pthread_mutex_t object = object_of(PTHREAD_MUTEX_RECURSIVE);
  Mutex& mutex = as_mutex(&object);
  EXPECT_EQ(mutex.lock(), 0);
  object.__data.__count = std::numeric_limits<unsigned>::max();
  EXPECT_EQ(mutex.lock(), EAGAIN);
  EXPECT_EQ(mutex.try_lock(), EAGAIN);
  object.__data.__count = 1;
  EXPECT_EQ(mutex.unlock(), 0);
}

TEST(MutexTest, ErrorCheckingKnowsItsOwner) {
  pthread_mutex_t object = object_of(PTHREAD_MUTEX_ERRORCHECK);
  Mutex& mutex = as_mutex(&object);
  EXPECT_EQ(mutex.unlock(), EPERM);
  EXPECT_EQ(mutex.lock(), 0);
  EXPECT_EQ(mutex.lock(), EDEADLK);
  EXPECT_EQ(mutex.lock_until(in(1h)), EDEADLK);
  EXPECT_EQ(mutex.try_lock(), EBUSY);
  std::thread([&] { EXPECT_EQ(mutex.unlock(), EPERM); }).join();
  EXPECT_EQ(mutex.unlock(), 0);
}

TEST(MutexTest, UnlockOfAFreeMutexDoesNothing) {
  pthread_mutex_t object = object_of(PTHREAD_MUTEX_NORMAL);
  EXPECT_EQ(as_mutex(&object).unlock(), 0);
  EXPECT_EQ(as_mutex(&object).lock(), 0);
  std::thread([&] { EXPECT_EQ(as_mutex(&object).unlock(), 0); }).join();
  EXPECT_EQ(as_mutex(&object).destroy(), 0);
}

TEST(MutexTest, GivesUpAtItsDeadline) {
  for (const int kind : kinds) {
    for (const auto clock : testing::both_clocks) {
      pthread_mutex_t object = object_of(kind);
      Mutex& mutex = as_mutex(&object);
      EXPECT_EQ(mutex.lock(), 0);
      std::thread([&] {
        EXPECT_EQ(mutex.lock_until(in(-1s, clock)), ETIMEDOUT);
        EXPECT_EQ(mutex.lock_until(invalid_deadline()), EINVAL);
        const os::Instant before = os::MonotonicClock::now();
        EXPECT_EQ(mutex.lock_until(in(5ms, clock)), ETIMEDOUT);
        EXPECT_GE(os::MonotonicClock::now() - before, 4ms);
      }).join();
      EXPECT_EQ(mutex.unlock(), 0);
      EXPECT_EQ(mutex.lock_until(invalid_deadline()), 0) << "it did not have to wait";
      EXPECT_EQ(mutex.unlock(), 0);
      EXPECT_EQ(mutex.destroy(), 0) << "nothing is left of those who waited";
    }
  }
}

TEST(MutexTest, WakesAWaiter) {
  pthread_mutex_t object = PTHREAD_MUTEX_INITIALIZER;
  Mutex& mutex = as_mutex(&object);
  mutex.lock();
  TestThread waiter([&] {
    EXPECT_EQ(mutex.lock_until(in(1h, Deadline::Clock::realtime)), 0);
    EXPECT_EQ(mutex.unlock(), 0);
  });
  waiter.wait_until_parked(&object);
  mutex.unlock();
  waiter.join();
  EXPECT_EQ(mutex.destroy(), 0);
}

TEST(MutexTest, AnUnlockWakesTheNextWhenTheFirstGaveUp) {
  pthread_mutex_t object = PTHREAD_MUTEX_INITIALIZER;
  Mutex& mutex = as_mutex(&object);
  mutex.lock();
  TestThread first([&] { EXPECT_EQ(mutex.lock_until(in(20ms)), ETIMEDOUT); });
  first.wait_until_parked(&object);
  TestThread second([&] {
    EXPECT_EQ(mutex.lock(), 0);
    mutex.unlock();
  });
  second.wait_until_parked(&object);
  first.join();
  mutex.unlock();
}

// One thread keeps the mutex for nearly all the time; the others get it nevertheless.
TEST(MutexTest, NobodyStarves) {
  pthread_mutex_t object = PTHREAD_MUTEX_INITIALIZER;
  Mutex& mutex = as_mutex(&object);
  std::atomic<int> still_hungry{2};
  std::atomic<bool> has_begun{false};
  TestThread greedy([&] {
    while (still_hungry.load() != 0) {
      mutex.lock();
      has_begun.store(true);
      std::this_thread::sleep_for(200us);
      mutex.unlock();
    }
  });
  testing::eventually([&] { return has_begun.load(); });
  run_together(2, [&](int) {
    for (int i = 0; i < 20; ++i) {
      mutex.lock();
      mutex.unlock();
    }
    --still_hungry;
  });
}

TEST(MutexTest, ExcludesOthersUnderLoad) {
  for (const int kind : kinds) {
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
      pthread_mutex_t object = object_of(kind);
      Mutex& mutex = as_mutex(&object);
      int counter = 0;
      std::atomic<int> expected{0};
      run_together(4, [&](int thread) {
        testing::Dice dice(seed * 16 + static_cast<std::uint32_t>(thread));
        for (int i = 0; i < 3000; ++i) {
          const std::uint32_t way = dice.below(16);
          const int result =
              way == 0   ? mutex.lock_until(in(std::chrono::nanoseconds(dice.below(50'000))))
              : way == 1 ? mutex.try_lock()
                         : mutex.lock();
          if (result != 0) continue;
          ++counter;
          ++expected;
          if (dice.below(512) == 0) std::this_thread::sleep_for(50us);
          mutex.unlock();
        }
      });
      EXPECT_EQ(counter, expected.load());
      EXPECT_EQ(mutex.destroy(), 0) << "kind " << kind;
    }
  }
}

// The last of two to have the mutex frees its memory; AddressSanitizer knows who comes later.
TEST(MutexTest, TheNextOwnerMayFreeIt) {
  struct Shared {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int references = 3;
  };
  for (int round = 0; round < 1000; ++round) {
    auto* const shared = new Shared;
    run_together(3, [&](int) {
      Mutex& mutex = as_mutex(&shared->mutex);
      mutex.lock();
      const bool is_last = --shared->references == 0;
      mutex.unlock();
      if (is_last) {
        std::memset(static_cast<void*>(shared), 0xEE, sizeof(Shared));
        delete shared;
      }
    });
  }
}

TEST(MutexTest, AForkLeavesItsWaitersBehind) {
  pthread_mutex_t object = PTHREAD_MUTEX_INITIALIZER;
  Mutex& mutex = as_mutex(&object);
  mutex.lock();
  TestThread waiter([&] {
    mutex.lock();
    mutex.unlock();
  });
  waiter.wait_until_parked(&object);
  EXPECT_TRUE(testing::holds_in_child([&] {
    return mutex.unlock() == 0 && mutex.lock() == 0 && mutex.unlock() == 0 && mutex.destroy() == 0;
  }));
  mutex.unlock();
}

}  // namespace
}  // namespace weft::sync
