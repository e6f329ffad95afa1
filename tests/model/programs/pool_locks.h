// SPDX-License-Identifier: Apache-2.0
// Locks of futexes for weft::BoundedQueue, which the checker schedules; and some that have a bug.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>

#include "base/atomic.h"
#include "os/clock.h"
#include "os/futex.h"

namespace weft::model {

class FutexMutex {
 public:
  void lock() noexcept {
    while (held_.exchange(1) != 0) os::futex_wait(held_, 1);
  }
  void unlock() noexcept {
    held_.store(0);
    os::futex_wake(held_);
  }

 private:
  atomic<std::uint32_t> held_{0};
};

// As libc's promise: who waits has given up the lock and waits, in one step.
class FutexCondition {
 public:
  void wait(std::unique_lock<FutexMutex>& guard) { wait_until(guard, os::never); }
  void wait_until(std::unique_lock<FutexMutex>& guard, os::Instant deadline) {
    const std::uint32_t sequence = sequence_.load();
    guard.unlock();
    os::futex_wait(sequence_, sequence, deadline);
    guard.lock();
  }
  void notify_one() { notify(1); }
  void notify_all() { notify(std::numeric_limits<int>::max()); }

 private:
  void notify(int count) {
    sequence_.fetch_add(1);
    os::futex_wake(sequence_, count);
  }

  atomic<std::uint32_t> sequence_{0};
};

struct FutexLocks {
  using Mutex = FutexMutex;
  using Condition = FutexCondition;
  using Clock = os::MonotonicClock;
};

// What the queue would be if it told nobody of one item or of room for one.
struct TellsNobody : FutexLocks {
  struct Condition : FutexCondition {
    void notify_one() {}
  };
};

// What it would be if close() told one only.
struct ClosesForOne : FutexLocks {
  struct Condition : FutexCondition {
    void notify_all() { notify_one(); }
  };
};

// What it would be if whoever waits began to wait after others could have come and gone.
struct WaitsTooLate : FutexLocks {
  struct Condition {
    void wait(std::unique_lock<FutexMutex>& guard) {
      guard.unlock();
      {
        std::unique_lock own_guard(own_);
        own_condition_.wait(own_guard);
      }
      guard.lock();
    }
    void notify_one() { own_condition_.notify_one(); }
    void notify_all() { own_condition_.notify_all(); }

   private:
    FutexMutex own_;
    FutexCondition own_condition_;
  };
};

}  // namespace weft::model
