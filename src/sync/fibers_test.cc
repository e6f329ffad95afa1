// SPDX-License-Identifier: Apache-2.0
// Every primitive between fibers of a runtime and threads that never leave home, together.
#include <gtest/gtest.h>

#include <cerrno>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "sched/runtime.h"
#include "sched/thread.h"
#include "sync/barrier.h"
#include "sync/condition.h"
#include "sync/futex_table.h"
#include "sync/mutex.h"
#include "sync/once.h"
#include "sync/rwlock.h"
#include "sync/semaphore.h"
#include "sync/test_threads.h"

namespace weft::sync {
namespace {

using testing::in;
using namespace std::chrono_literals;

class FiberThread {
 public:
  FiberThread(sched::Runtime& runtime, std::function<void()> function)
      : function_(std::move(function)) {
    EXPECT_EQ(sched::spawn(runtime, nullptr, &FiberThread::main, this, &thread_), 0);
  }
  ~FiberThread() { EXPECT_EQ(sched::join(thread_, nullptr), 0); }
  FiberThread(const FiberThread&) = delete;
  FiberThread& operator=(const FiberThread&) = delete;

 private:
  static void* main(void* self) {
    static_cast<FiberThread*>(self)->function_();
    return nullptr;
  }
  std::function<void()> function_;
  sched::Thread* thread_ = nullptr;
};

class FibersTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  static constexpr int fibers = 16;
  static constexpr int natives = 2;
  static constexpr int all = fibers + natives;

  // Numbers below `natives` are threads, the others fibers.
  void run_together(const std::function<void(int)>& function) {
    std::deque<FiberThread> running;
    std::deque<std::jthread> threads;
    for (int i = 0; i < natives; ++i) threads.emplace_back(function, i);
    for (int i = natives; i < all; ++i) running.emplace_back(runtime_, [&, i] { function(i); });
  }

  sched::Runtime runtime_{{.workers = GetParam()}};
};

TEST_P(FibersTest, Mutex) {
  for (const int kind : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK}) {
    pthread_mutex_t object;
    Mutex& mutex = as_mutex(&object);
    mutex.init(kind);
    int counter = 0;
    std::atomic<int> expected{0};
    run_together([&](int thread) {
      testing::Dice dice(static_cast<std::uint32_t>(thread + 1));
      for (int i = 0; i < 2000; ++i) {
        const auto wait = std::chrono::nanoseconds(dice.below(100'000));
        if ((dice.below(8) == 0 ? mutex.lock_until(in(wait)) : mutex.lock()) != 0) continue;
        ++counter;
        ++expected;
        if (dice.below(8) == 0) sched::yield();
        EXPECT_EQ(mutex.unlock(), 0);
      }
    });
    EXPECT_EQ(counter, expected.load());
    EXPECT_EQ(mutex.destroy(), 0);
  }
}

TEST_P(FibersTest, ConditionPingPong) {
  pthread_mutex_t mutex_object = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition_object = PTHREAD_COND_INITIALIZER;
  Mutex& mutex = as_mutex(&mutex_object);
  Condition& condition = as_condition(&condition_object);
  int turn = 0;
  run_together([&](int thread) {
    for (int round = 0; round < 50; ++round) {
      mutex.lock();
      while (turn % all != thread) condition.wait(mutex);
      ++turn;
      condition.broadcast();
      mutex.unlock();
    }
  });
  EXPECT_EQ(turn, 50 * all);
  EXPECT_EQ(mutex.destroy(), 0);
}

TEST_P(FibersTest, ConditionWithDeadlines) {
  pthread_mutex_t mutex_object = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition_object = PTHREAD_COND_INITIALIZER;
  Mutex& mutex = as_mutex(&mutex_object);
  Condition& condition = as_condition(&condition_object);
  int tokens = 0;
  int taken = 0;
  run_together([&](int thread) {
    testing::Dice dice(static_cast<std::uint32_t>(thread + 1));
    for (int round = 0; round < 300; ++round) {
      mutex.lock();
      if (thread % 2 == 0) {
        ++tokens;
        condition.signal();
      } else {
        while (tokens == 0) {
          condition.wait_until(mutex, in(std::chrono::nanoseconds(dice.below(50'000))));
        }
        --tokens;
        ++taken;
      }
      mutex.unlock();
    }
  });
  EXPECT_EQ(taken, 300 * all / 2);
  EXPECT_EQ(condition.destroy(), 0);
}

TEST_P(FibersTest, RwLock) {
  for (const int preference :
       {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP}) {
    pthread_rwlock_t object;
    RwLock& lock = as_rwlock(&object);
    lock.init(preference);
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    run_together([&](int thread) {
      testing::Dice dice(static_cast<std::uint32_t>(thread + 1));
      for (int i = 0; i < 1000; ++i) {
        const bool writes = dice.below(4) == 0;
        const Deadline deadline = in(std::chrono::nanoseconds(dice.below(200'000)));
        const bool is_timed = dice.below(4) == 0;
        const int result = writes ? lock.write_lock_until(is_timed ? deadline : Deadline::none)
                                  : lock.read_lock_until(is_timed ? deadline : Deadline::none);
        if (result != 0) continue;
        EXPECT_EQ(first, second);
        if (writes) ++first;
        if (dice.below(8) == 0) sched::yield();
        if (writes) ++second;
        EXPECT_EQ(lock.unlock(), 0);
      }
    });
    EXPECT_EQ(lock.destroy(), 0);
  }
}

TEST_P(FibersTest, SemaphoreRing) {
  std::vector<sem_t> objects(all);
  for (sem_t& object : objects) as_semaphore(&object).init(0);
  as_semaphore(&objects[0]).post();
  run_together([&](int thread) {
    const auto index = static_cast<std::size_t>(thread);
    for (int round = 0; round < 200; ++round) {
      EXPECT_EQ(as_semaphore(&objects[index]).wait(), 0);
      EXPECT_EQ(as_semaphore(&objects[(index + 1) % objects.size()]).post(), 0);
    }
  });
}

TEST_P(FibersTest, Barrier) {
  pthread_barrier_t object;
  Barrier& barrier = as_barrier(&object);
  barrier.init(all);
  std::atomic<int> special{0};
  run_together([&](int) {
    for (int round = 0; round < 100; ++round) {
      if (barrier.wait() == PTHREAD_BARRIER_SERIAL_THREAD) ++special;
    }
  });
  EXPECT_EQ(special.load(), 100);
}

std::atomic<int> once_calls{0};

TEST_P(FibersTest, Once) {
  for (int round = 0; round < 20; ++round) {
    once_calls = 0;
    pthread_once_t object = PTHREAD_ONCE_INIT;
    run_together([&](int) {
      as_once(&object).call([] {
        sched::yield();
        ++once_calls;
      });
      EXPECT_EQ(once_calls.load(), 1);
    });
  }
}

TEST_P(FibersTest, Futex) {
  futex_table::Word word{0};
  int counter = 0;
  run_together([&](int) {
    for (int i = 0; i < 1000; ++i) {
      std::uint32_t expected = 0;
      if (!word.compare_exchange_strong(expected, 1)) {
        while (word.exchange(2) != 0) futex_table::wait(word, 2);
      }
      ++counter;
      if (i % 8 == 0) sched::yield();
      if (word.exchange(0) == 2) futex_table::wake(word, 1);
    }
  });
  EXPECT_EQ(counter, 1000 * all);
}

INSTANTIATE_TEST_SUITE_P(Workers, FibersTest, ::testing::Values(1U, 2U));

}  // namespace
}  // namespace weft::sync
