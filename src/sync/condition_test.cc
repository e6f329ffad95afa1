// SPDX-License-Identifier: Apache-2.0
// Conditions between threads: signals, deadlines, and the mutexes that waiters move to.
#include "sync/condition.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>

#include "sync/test_threads.h"

namespace weft::sync {
namespace {

using testing::in;
using testing::invalid_deadline;
using testing::run_together;
using testing::TestThread;
using namespace std::chrono_literals;

class ConditionTest : public ::testing::Test {
 protected:
  pthread_mutex_t mutex_object_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition_object_ = PTHREAD_COND_INITIALIZER;
  Mutex& mutex_ = as_mutex(&mutex_object_);
  Condition& condition_ = as_condition(&condition_object_);
};

TEST_F(ConditionTest, KeepsLibcsFlags) {
  EXPECT_TRUE(condition_.is_ours());
  EXPECT_EQ(condition_.clock(), Deadline::Clock::realtime);
  condition_object_.__data.__wrefs = 1;
  EXPECT_FALSE(condition_.is_ours());
  std::memset(&condition_object_, 0xA5, sizeof condition_object_);
  EXPECT_EQ(condition_.init(Deadline::Clock::monotonic), 0);
  EXPECT_EQ(condition_object_.__data.__wrefs, 2U);
  EXPECT_EQ(condition_.clock(), Deadline::Clock::monotonic);
  EXPECT_EQ(condition_.destroy(), 0);
}

TEST_F(ConditionTest, SignalWithoutWaitersDoesNothing) {
  EXPECT_EQ(condition_.signal(), 0);
  EXPECT_EQ(condition_.broadcast(), 0);
  mutex_.lock();
  EXPECT_EQ(condition_.wait_until(mutex_, in(1ms)), ETIMEDOUT) << "nothing was kept";
  mutex_.unlock();
}

TEST_F(ConditionTest, GivesUpAtItsDeadlineWithTheMutexLocked) {
  for (const auto clock : testing::both_clocks) {
    mutex_.lock();
    EXPECT_EQ(condition_.wait_until(mutex_, in(-1s, clock)), ETIMEDOUT);
    EXPECT_EQ(condition_.wait_until(mutex_, in(3ms, clock)), ETIMEDOUT);
    EXPECT_EQ(condition_.wait_until(mutex_, invalid_deadline()), EINVAL);
    std::thread([&] { EXPECT_EQ(mutex_.try_lock(), EBUSY); }).join();
    mutex_.unlock();
  }
  EXPECT_EQ(condition_.destroy(), 0);
  EXPECT_EQ(mutex_.destroy(), 0);
}

TEST_F(ConditionTest, SignalMovesTheWaiterToALockedMutex) {
  bool is_ready = false;
  TestThread waiter([&] {
    mutex_.lock();
    while (!is_ready) EXPECT_EQ(condition_.wait_until(mutex_, in(1h)), 0);
    mutex_.unlock();
  });
  waiter.wait_until_parked(&condition_object_);
  mutex_.lock();
  is_ready = true;
  condition_.signal();
  EXPECT_EQ(condition_.destroy(), 0) << "nobody is on the condition any more";
  std::memset(&condition_object_, 0xEE, sizeof condition_object_);
  mutex_.unlock();
}

TEST_F(ConditionTest, SignalWakesTheWaiterOfAFreeMutex) {
  TestThread waiter([&] {
    mutex_.lock();
    EXPECT_EQ(condition_.wait(mutex_), 0);
    mutex_.unlock();
  });
  waiter.wait_until_parked(&condition_object_);
  EXPECT_EQ(condition_.destroy(), EBUSY);
  condition_.signal();
  waiter.join();
  EXPECT_EQ(mutex_.destroy(), 0);
}

TEST_F(ConditionTest, TheDeadlineOfASignalledWaiterNoLongerCounts) {
  int result = -1;
  const Deadline deadline = in(50ms);
  TestThread waiter([&] {
    mutex_.lock();
    result = condition_.wait_until(mutex_, deadline);
    mutex_.unlock();
  });
  waiter.wait_until_parked(&condition_object_);
  mutex_.lock();
  condition_.signal();
  const bool was_in_time = deadline.park_until().has_value();
  testing::eventually([&] { return !deadline.park_until(); });
  std::this_thread::sleep_for(5ms);
  mutex_.unlock();
  waiter.join();
  if (!was_in_time) GTEST_SKIP() << "the machine is too slow";
  EXPECT_EQ(result, 0);
}

TEST_F(ConditionTest, KnowsWhoMayWait) {
  mutex_.init(PTHREAD_MUTEX_ERRORCHECK);
  EXPECT_EQ(condition_.wait(mutex_), EPERM);
  EXPECT_EQ(condition_.wait_until(mutex_, in(1h)), EPERM);
  mutex_.lock();
  std::thread([&] { EXPECT_EQ(condition_.wait(mutex_), EPERM); }).join();
  EXPECT_EQ(condition_.wait_until(mutex_, in(-1s)), ETIMEDOUT);
  EXPECT_EQ(mutex_.unlock(), 0);
}

TEST_F(ConditionTest, ReleasesAllLevelsOfARecursiveMutex) {
  mutex_.init(PTHREAD_MUTEX_RECURSIVE);
  bool is_ready = false;
  TestThread waiter([&] {
    for (int level = 0; level < 3; ++level) mutex_.lock();
    while (!is_ready) EXPECT_EQ(condition_.wait(mutex_), 0);
    for (int level = 0; level < 3; ++level) EXPECT_EQ(mutex_.unlock(), 0);
    EXPECT_EQ(mutex_.unlock(), EPERM);
    mutex_.lock();
    mutex_.lock();
    EXPECT_EQ(condition_.wait_until(mutex_, in(1ms)), ETIMEDOUT);
    EXPECT_EQ(mutex_.unlock(), 0);
    EXPECT_EQ(mutex_.unlock(), 0);
    EXPECT_EQ(mutex_.unlock(), EPERM);
  });
  waiter.wait_until_parked(&condition_object_);
  EXPECT_EQ(mutex_.lock(), 0);
  is_ready = true;
  condition_.signal();
  EXPECT_EQ(mutex_.unlock(), 0);
}

TEST_F(ConditionTest, ABroadcastReachesAll) {
  for (const bool is_locked : {true, false}) {
    bool is_ready = false;
    int woken = 0;
    std::deque<TestThread> waiters;
    for (int i = 0; i < 5; ++i) {
      waiters.emplace_back([&] {
        mutex_.lock();
        while (!is_ready) condition_.wait(mutex_);
        ++woken;
        mutex_.unlock();
      });
      waiters.back().wait_until_parked(&condition_object_);
    }
    mutex_.lock();
    is_ready = true;
    if (is_locked) condition_.broadcast();
    mutex_.unlock();
    if (!is_locked) condition_.broadcast();
    for (TestThread& waiter : waiters) waiter.join();
    EXPECT_EQ(woken, 5);
    EXPECT_EQ(mutex_.destroy(), 0);
    mutex_.init(PTHREAD_MUTEX_NORMAL);
  }
}

TEST_F(ConditionTest, SignalsGoInTheOrderOfArrival) {
  std::vector<int> order;
  std::deque<TestThread> waiters;
  for (int i = 0; i < 4; ++i) {
    waiters.emplace_back([&, i] {
      mutex_.lock();
      condition_.wait(mutex_);
      order.push_back(i);
      mutex_.unlock();
    });
    waiters.back().wait_until_parked(&condition_object_);
  }
  for (TestThread& waiter : waiters) {
    condition_.signal();
    waiter.join();
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

TEST_F(ConditionTest, DifferentMutexesOneAfterTheOther) {
  pthread_mutex_t other_object = PTHREAD_MUTEX_INITIALIZER;
  for (Mutex* const mutex : {&mutex_, &as_mutex(&other_object)}) {
    TestThread waiter([&] {
      mutex->lock();
      condition_.wait(*mutex);
      mutex->unlock();
    });
    waiter.wait_until_parked(&condition_object_);
    mutex->lock();
    condition_.broadcast();
    mutex->unlock();
  }
}

// Who broadcasts frees the condition at once, while deadlines pass and waiters come back.
TEST_F(ConditionTest, MayBeFreedRightAfterABroadcast) {
  struct Shared {
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    bool is_ready = false;
  };
  for (std::uint32_t round = 0; round < 300; ++round) {
    auto shared = std::make_unique<Shared>();
    std::atomic<int> inside{0};
    bool is_ready = false;
    run_together(4, [&](int thread) {
      testing::Dice dice(round * 4 + static_cast<std::uint32_t>(thread));
      mutex_.lock();
      if (thread != 0) {
        ++inside;
        while (!is_ready) {
          const auto wait = std::chrono::nanoseconds(dice.below(200'000));
          const int result = as_condition(&shared->condition).wait_until(mutex_, in(wait));
          if (result == ETIMEDOUT) break;
        }
        mutex_.unlock();
        return;
      }
      while (inside.load() < 3) {
        mutex_.unlock();
        std::this_thread::yield();
        mutex_.lock();
      }
      is_ready = true;
      as_condition(&shared->condition).broadcast();
      as_condition(&shared->condition).destroy();
      std::memset(&shared->condition, 0xEE, sizeof(pthread_cond_t));
      shared.reset();
      mutex_.unlock();
    });
  }
}

// A bounded queue: every item arrives once, with signals and deadlines of all sorts.
TEST_F(ConditionTest, NothingIsLostUnderLoad) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    pthread_cond_t not_full_object = PTHREAD_COND_INITIALIZER;
    Condition& not_full = as_condition(&not_full_object);
    std::deque<int> items;
    constexpr int items_per_producer = 2000;
    int taken = 0;
    run_together(4, [&](int thread) {
      testing::Dice dice(seed * 4 + static_cast<std::uint32_t>(thread));
      const bool signals_outside = dice.below(2) == 0;
      for (int i = 0; i < items_per_producer; ++i) {
        mutex_.lock();
        Condition& waited_for = thread < 2 ? not_full : condition_;
        while (thread < 2 ? items.size() >= 3 : items.empty()) {
          if (dice.below(4) == 0) {
            waited_for.wait_until(mutex_, in(std::chrono::nanoseconds(dice.below(20'000))));
          } else {
            waited_for.wait(mutex_);
          }
        }
        if (thread < 2) {
          items.push_back(i);
        } else {
          items.pop_front();
          ++taken;
        }
        Condition& signalled = thread < 2 ? condition_ : not_full;
        if (!signals_outside) signalled.signal();
        mutex_.unlock();
        if (signals_outside) signalled.signal();
      }
    });
    EXPECT_EQ(taken, 2 * items_per_producer);
    EXPECT_EQ(mutex_.destroy(), 0);
    mutex_.init(PTHREAD_MUTEX_NORMAL);
  }
}

TEST_F(ConditionTest, AForkLeavesItsWaitersBehind) {
  TestThread waiter([&] {
    mutex_.lock();
    condition_.wait(mutex_);
    mutex_.unlock();
  });
  waiter.wait_until_parked(&condition_object_);
  EXPECT_TRUE(testing::holds_in_child([&] {
    return condition_.broadcast() == 0 && condition_.destroy() == 0 && mutex_.destroy() == 0;
  }));
  condition_.signal();
}

}  // namespace
}  // namespace weft::sync
