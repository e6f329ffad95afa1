// SPDX-License-Identifier: Apache-2.0
// Reader-writer locks of every preference between threads: errors, deadlines, load.
#include "sync/rwlock.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <deque>

#include "sync/test_threads.h"

namespace weft::sync {
namespace {

using testing::in;
using testing::invalid_deadline;
using testing::run_together;
using testing::TestThread;
using namespace std::chrono_literals;

constexpr int preferences[] = {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NP,
                               PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP};

pthread_rwlock_t object_of(int preference) {
  pthread_rwlock_t object = PTHREAD_RWLOCK_INITIALIZER;
  object.__data.__flags = static_cast<unsigned>(preference);
  return object;
}

TEST(RwLockTest, WorksFromEveryStaticInitialiser) {
  pthread_rwlock_t objects[] = {PTHREAD_RWLOCK_INITIALIZER,
                                PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP};
  for (pthread_rwlock_t& object : objects) {
    RwLock& lock = as_rwlock(&object);
    EXPECT_TRUE(lock.is_ours());
    EXPECT_EQ(lock.read_lock(), 0);
    EXPECT_EQ(lock.read_lock(), 0);
    EXPECT_EQ(lock.try_read_lock(), 0);
    EXPECT_EQ(lock.try_write_lock(), EBUSY);
    EXPECT_EQ(lock.destroy(), EBUSY);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(lock.unlock(), 0);
    EXPECT_EQ(lock.write_lock(), 0);
    EXPECT_EQ(lock.destroy(), EBUSY);
    std::thread([&] {
      EXPECT_EQ(lock.try_read_lock(), EBUSY);
      EXPECT_EQ(lock.try_write_lock(), EBUSY);
    }).join();
    EXPECT_EQ(lock.unlock(), 0);
    EXPECT_EQ(lock.try_write_lock(), 0);
    EXPECT_EQ(lock.unlock(), 0);
    EXPECT_EQ(lock.read_lock_until(in(-1s)), 0) << "it is free";
    EXPECT_EQ(lock.unlock(), 0);
    EXPECT_EQ(lock.write_lock_until(in(-1s)), 0) << "it is free";
    EXPECT_EQ(lock.unlock(), 0);
    EXPECT_EQ(lock.destroy(), 0);
  }
}

TEST(RwLockTest, InitTakesAPreference) {
  for (const int preference : preferences) {
    pthread_rwlock_t object;
    std::memset(&object, 0xA5, sizeof object);
    EXPECT_EQ(as_rwlock(&object).init(preference), 0);
    EXPECT_EQ(object.__data.__flags, static_cast<unsigned>(preference));
    EXPECT_TRUE(as_rwlock(&object).is_ours());
    EXPECT_EQ(as_rwlock(&object).destroy(), 0);
    object.__data.__shared = 1;
    EXPECT_FALSE(as_rwlock(&object).is_ours());
    EXPECT_EQ(as_rwlock(&object).init(3), EINVAL);
  }
}

TEST(RwLockTest, TheWriterKnowsThatItWouldWaitForItself) {
  pthread_rwlock_t object = PTHREAD_RWLOCK_INITIALIZER;
  RwLock& lock = as_rwlock(&object);
  EXPECT_EQ(lock.write_lock(), 0);
  EXPECT_EQ(lock.write_lock(), EDEADLK);
  EXPECT_EQ(lock.read_lock(), EDEADLK);
  EXPECT_EQ(lock.read_lock_until(in(1h)), EDEADLK);
  EXPECT_EQ(lock.write_lock_until(in(1h)), EDEADLK);
  EXPECT_EQ(lock.try_read_lock(), EBUSY);
  EXPECT_EQ(lock.unlock(), 0);
  EXPECT_EQ(lock.read_lock(), 0);
  EXPECT_EQ(lock.unlock(), 0);
}

TEST(RwLockTest, StopsAtTheLastReader) {
  pthread_rwlock_t object = PTHREAD_RWLOCK_INITIALIZER;
  RwLock& lock = as_rwlock(&object);
  EXPECT_EQ(lock.read_lock(), 0);
  object.__data.__writers = (1U << 29U) - 1;  // where the readers are counted
  EXPECT_EQ(lock.read_lock(), EAGAIN);
  EXPECT_EQ(lock.try_read_lock(), EAGAIN);
  object.__data.__writers = 1;
  EXPECT_EQ(lock.unlock(), 0);
  EXPECT_EQ(lock.destroy(), 0);
}

TEST(RwLockTest, GivesUpAtItsDeadline) {
  for (const int preference : preferences) {
    for (const auto clock : testing::both_clocks) {
      pthread_rwlock_t object = object_of(preference);
      RwLock& lock = as_rwlock(&object);
      lock.write_lock();
      std::thread([&] {
        EXPECT_EQ(lock.read_lock_until(in(-1s, clock)), ETIMEDOUT);
        EXPECT_EQ(lock.read_lock_until(in(3ms, clock)), ETIMEDOUT);
        EXPECT_EQ(lock.write_lock_until(in(3ms, clock)), ETIMEDOUT);
        EXPECT_EQ(lock.read_lock_until(invalid_deadline()), EINVAL);
        EXPECT_EQ(lock.write_lock_until(invalid_deadline()), EINVAL);
      }).join();
      lock.unlock();
      lock.read_lock();
      std::thread([&] {
        EXPECT_EQ(lock.write_lock_until(in(3ms, clock)), ETIMEDOUT);
        EXPECT_EQ(lock.read_lock_until(invalid_deadline()), 0) << "it did not have to wait";
        EXPECT_EQ(lock.unlock(), 0);
      }).join();
      lock.unlock();
      EXPECT_EQ(lock.destroy(), 0) << "nothing is left of those who waited";
    }
  }
}

TEST(RwLockTest, AWaitingWriterBlocksReadersIfItIsPreferred) {
  for (const int preference : preferences) {
    const bool blocks = preference == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
    pthread_rwlock_t object = object_of(preference);
    RwLock& lock = as_rwlock(&object);
    lock.read_lock();
    TestThread writer([&] {
      EXPECT_EQ(lock.write_lock(), 0);
      EXPECT_EQ(lock.unlock(), 0);
    });
    writer.wait_until_parked(&object);
    std::thread([&] {
      EXPECT_EQ(lock.try_read_lock(), blocks ? EBUSY : 0);
      if (!blocks) lock.unlock();
    }).join();
    TestThread reader([&] {
      EXPECT_EQ(lock.read_lock(), 0);
      EXPECT_EQ(lock.unlock(), 0);
    });
    if (blocks) reader.wait_until_parked(&object);
    if (!blocks) reader.join();
    lock.unlock();
  }
}

TEST(RwLockTest, ReadersGetInWhenTheLastWriterGivesUp) {
  pthread_rwlock_t object = object_of(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  RwLock& lock = as_rwlock(&object);
  lock.read_lock();
  TestThread writer([&] { EXPECT_EQ(lock.write_lock_until(in(20ms)), ETIMEDOUT); });
  writer.wait_until_parked(&object);
  TestThread reader([&] {
    EXPECT_EQ(lock.read_lock(), 0);
    EXPECT_EQ(lock.unlock(), 0);
  });
  reader.join();
  writer.join();
  lock.unlock();
  EXPECT_EQ(lock.destroy(), 0);
}

TEST(RwLockTest, AWriterLetsAllReadersInTogether) {
  for (const int preference : preferences) {
    pthread_rwlock_t object = object_of(preference);
    RwLock& lock = as_rwlock(&object);
    std::atomic<int> inside{0};
    lock.write_lock();
    std::deque<TestThread> readers;
    for (int i = 0; i < 3; ++i) {
      readers.emplace_back([&] {
        lock.read_lock();
        ++inside;
        testing::eventually([&] { return inside.load() == 3; });
        lock.unlock();
      });
      readers.back().wait_until_parked(&object);
    }
    lock.unlock();
    for (TestThread& reader : readers) reader.join();
    EXPECT_EQ(lock.destroy(), 0);
  }
}

TEST(RwLockTest, ExcludesOthersUnderLoad) {
  for (const int preference : preferences) {
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
      pthread_rwlock_t object = object_of(preference);
      RwLock& lock = as_rwlock(&object);
      std::uint64_t first = 0;
      std::uint64_t second = 0;
      std::atomic<std::uint64_t> writes{0};
      run_together(4, [&](int thread) {
        testing::Dice dice(seed * 16 + static_cast<std::uint32_t>(thread));
        for (int i = 0; i < 3000; ++i) {
          const Deadline soon = in(std::chrono::nanoseconds(dice.below(50'000)));
          const bool writes_now = dice.below(4) == 0;
          const std::uint32_t way = dice.below(8);
          int result = 0;
          if (writes_now) {
            result = way == 0   ? lock.write_lock_until(soon)
                     : way == 1 ? lock.try_write_lock()
                                : lock.write_lock();
          } else {
            result = way == 0   ? lock.read_lock_until(soon)
                     : way == 1 ? lock.try_read_lock()
                                : lock.read_lock();
          }
          if (result != 0) continue;
          EXPECT_EQ(first, second);
          if (writes_now) {
            ++first;
            ++writes;
            if (dice.below(128) == 0) std::this_thread::sleep_for(50us);
            ++second;
          }
          EXPECT_EQ(lock.unlock(), 0);
        }
      });
      EXPECT_EQ(first, writes.load());
      EXPECT_EQ(lock.destroy(), 0) << "preference " << preference;
    }
  }
}

// The last of several to have the lock frees its memory; AddressSanitizer knows who comes later.
TEST(RwLockTest, TheNextOwnerMayFreeIt) {
  struct Shared {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    std::atomic<int> references{3};
  };
  for (int round = 0; round < 1000; ++round) {
    auto* const shared = new Shared;
    run_together(3, [&](int thread) {
      RwLock& lock = as_rwlock(&shared->lock);
      thread == 0 ? lock.read_lock() : lock.write_lock();
      const bool is_last = --shared->references == 0;
      lock.unlock();
      if (is_last) {
        std::memset(static_cast<void*>(shared), 0xEE, sizeof(Shared));
        delete shared;
      }
    });
  }
}

TEST(RwLockTest, AForkLeavesItsWaitersBehind) {
  pthread_rwlock_t object = PTHREAD_RWLOCK_INITIALIZER;
  RwLock& lock = as_rwlock(&object);
  lock.write_lock();
  TestThread waiter([&] {
    lock.read_lock();
    lock.unlock();
  });
  waiter.wait_until_parked(&object);
  EXPECT_TRUE(testing::holds_in_child([&] {
    return lock.unlock() == 0 && lock.write_lock() == 0 && lock.unlock() == 0 &&
           lock.destroy() == 0;
  }));
  lock.unlock();
}

}  // namespace
}  // namespace weft::sync
