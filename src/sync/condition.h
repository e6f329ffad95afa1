// SPDX-License-Identifier: Apache-2.0
// Condition: what is in the bytes of a pthread_cond_t.
//
//   on the condition  --signal, mutex locked-->    in the mutex's queue
//   on the condition  --signal, mutex free-->      woken, and competes for the mutex
//   on the condition  --deadline-->                gone, and locks the mutex as anybody does
// A waiter that is signalled moves to the queue of its mutex where possible ("wait morphing"),
// since all it could do if it ran is to wait for it. It is a locker among others then; its deadline
// no longer counts. A broadcast wakes one at most.
//
// The queue is guarded by one of a fixed table of locks, not by a lock in the object. A program may
// destroy the condition once it has broadcast, before the waiters have come back, and one of them
// may find its deadline over at that moment. It has to ask a lock that is still there whether it
// is still on the condition; if not, it does not touch the condition. Those who signal touch the
// condition for the last time before they let any waiter go, and whoever empties the queue does so
// with its last touch, since others who find it empty take that for an answer.
//
// Lock order: the lock of the table, then the queue lock of the mutex. Whoever moves a waiter does
// not hold the mutex, but the waiter needs it: until it is in the mutex's queue and the queue lock
// is released, which is the last touch, the mutex cannot be gone.
//
// Rejected: waking without a mutex in the node, and leaving the herd to the mutex: a broadcast to a
// hundred fibers is a hundred switches that end in the mutex's queue.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "sync/deadline.h"
#include "sync/mutex.h"
#include "sync/waiter.h"

namespace weft::sync {

class Condition {
 public:
  // Functions answer 0, or an errno value as the pthread function of the name does.
  int init(Deadline::Clock clock) noexcept;
  // EBUSY where a thread waits; with libc that is undefined.
  int destroy() noexcept;

  // False: process-shared. Such a condition is libc's, and nothing else here may be called.
  bool is_ours() const noexcept { return (flags_ & process_shared) == 0; }

  // By which clock pthread_cond_timedwait() measures.
  Deadline::Clock clock() const noexcept {
    return (flags_ & monotonic) != 0 ? Deadline::Clock::monotonic : Deadline::Clock::realtime;
  }

  int wait(Mutex& mutex) noexcept { return wait_until(mutex, Deadline::none); }
  int wait_until(Mutex& mutex, const Deadline& deadline) noexcept;

  // That somebody waits is known without the lock to everyone who has to know: who made the
  // waiter's condition true under the mutex, after the waiter released it, has seen what it wrote
  // before.
  int signal() noexcept {
    if (!queue_.empty()) signal_slow();
    return 0;
  }
  int broadcast() noexcept {
    if (!queue_.empty()) broadcast_slow();
    return 0;
  }

  // Unlocks the table in the child of a fork.
  static void forget_locks() noexcept;

 private:
  friend struct ConditionLayout;

  static constexpr std::uint32_t process_shared = 1;  // bits of libc's __wrefs
  static constexpr std::uint32_t monotonic = 2;

  void signal_slow() noexcept;
  void broadcast_slow() noexcept;
  void drop_other_generation() noexcept;

  // Guarded by the lock of the table.
  WaitQueue queue_;
  std::uint32_t generation_ = 0;  // of the queue

  [[maybe_unused]] std::uint32_t unused_[4] = {};
  std::uint32_t flags_ = 0;  // constant
  [[maybe_unused]] std::uint32_t unused_too_[2] = {};
};

struct ConditionLayout {
  static_assert(sizeof(Condition) == sizeof(pthread_cond_t));
  static_assert(alignof(Condition) <= alignof(pthread_cond_t));
  static_assert(offsetof(Condition, flags_) == offsetof(pthread_cond_t, __data.__wrefs));
};

inline Condition& as_condition(pthread_cond_t* object) noexcept {
  return *reinterpret_cast<Condition*>(object);
}

}  // namespace weft::sync
