// SPDX-License-Identifier: Apache-2.0
// Mutex: what is in the bytes of a pthread_mutex_t.
//
// The state word
//   locked       somebody has the mutex
//   waiters      the queue is not empty; without this bit the queue's bytes mean nothing
//   queue_lock   somebody works on the queue
//   woken        a waiter was taken off and woken, and has not yet taken the mutex or queued again
//   starving     the head of the queue gets the mutex from who unlocks it
// and the fork generation wherever one of the last four is set (see generation.h). A mutex that
// nobody waits for is 0 or `locked`.
//
// Who comes while the mutex is free takes it, even before those who wait ("barging"): a hand-over
// to a thread that first has to be scheduled would leave the mutex unused meanwhile, each time
// again. The woken one competes; when it loses it goes back to the head of the queue, and once it
// has waited for longer than Waiter::starving_after, it sets `starving`: no barging, until the
// queue holds none that waited so long.
//
// Invariants
//   - starving implies locked and waiters, and excludes woken.
//   - waiters without locked implies woken: so an unlock may leave the waking to the one on its
//   way,
//     who takes the mutex, or clears `woken` while somebody has it. That one's unlock wakes the
//     next.
//   - Nobody sets locked to 0 while another has the queue lock. So who has the queue lock and finds
//     `locked` set has the whole word to himself, and may end with a plain store. Without `locked`
//     others may take the mutex meanwhile.
//   - Who unlocks has let go of the mutex with the same operation as of the queue, and touches it
//     no more: the next owner may destroy it and give its memory back. Waiters are in a call, and
//     keep it alive themselves.
//
// Rejected: the owner's id in the word, as libc has it. Only two kinds need the owner, and writing
// it would cost the others the thread's record.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "base/atomic.h"
#include "sync/deadline.h"
#include "sync/waiter.h"

namespace weft::sync {

class Mutex {
 public:
  // Functions answer 0, or an errno value as the pthread function of the name does.
  int init(int kind) noexcept;
  int destroy() noexcept;

  // False: process-shared, robust, or with a priority protocol. Such a mutex is libc's, and nothing
  // else here may be called.
  bool is_ours() const noexcept { return (kind_ & foreign_kinds) == 0; }

  int lock() noexcept {
    if (!is_plain()) [[unlikely]]
      return lock_owned(Deadline::none);
    if (try_take()) [[likely]]
      return 0;
    return lock_slow(Deadline::none);
  }
  int lock_until(const Deadline& deadline) noexcept {
    if (!is_plain()) [[unlikely]]
      return lock_owned(deadline);
    if (try_take()) [[likely]]
      return 0;
    return lock_slow(deadline);
  }
  int try_lock() noexcept;
  int unlock() noexcept {
    if (!is_plain()) [[unlikely]]
      return unlock_owned();
    release();
    return 0;
  }

  // For Condition: 0, or EPERM where the kind knows its owner and the caller is not it.
  int check_held() const noexcept;
  // For Condition: releases all levels; answers what to give to reacquire().
  std::uint32_t release_all_levels() noexcept;
  void reacquire(std::uint32_t levels) noexcept;
  // The same for a thread that adopt() has taken over, once it has been woken.
  void reacquire(Waiter& node, std::uint32_t levels) noexcept;
  // For Condition: takes over a chain of waiters that want the mutex, marked as queued. Where
  // nobody is there to unlock the mutex, the first of them is answered instead, for the caller to
  // wake it.
  Waiter* adopt(Waiter& first, Waiter& last) noexcept;

 private:
  friend struct MutexLayout;

  static constexpr std::uint32_t locked = 1;
  static constexpr std::uint32_t waiters = 2;
  static constexpr std::uint32_t queue_lock = 4;
  static constexpr std::uint32_t woken = 8;
  static constexpr std::uint32_t starving = 16;

  // Bits of libc's __kind: robust 16, inheriting 32, protecting 64, process-shared 128.
  static constexpr int foreign_kinds = 16 | 32 | 64 | 128;
  static constexpr int kind_mask = 3;

  // Normal or adaptive: nobody asks who the owner is.
  bool is_plain() const noexcept { return ((kind_ + 1) & 2) == 0; }
  bool is_recursive() const noexcept { return (kind_ & kind_mask) == PTHREAD_MUTEX_RECURSIVE; }

  // Pairs with the release in release() and release_slow().
  bool try_take() noexcept {
    std::uint32_t expected = 0;
    return state_.compare_exchange_strong(expected, locked, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void release() noexcept {
    // The look is cheap, as the line is ours; a compare-and-swap in vain is not.
    std::uint32_t expected = locked;
    if (state_.load(std::memory_order_relaxed) == locked &&
        state_.compare_exchange_strong(expected, 0, std::memory_order_release,
                                       std::memory_order_relaxed)) [[likely]] {
      return;
    }
    release_slow();
  }

  static std::uint32_t word(std::uint32_t bits) noexcept;
  std::uint32_t read() noexcept;
  bool change(std::uint32_t from, std::uint32_t bits, std::memory_order order) noexcept;
  bool try_take_contended() noexcept;

  int lock_slow(const Deadline& deadline) noexcept;
  void release_slow() noexcept;
  bool take_or_queue(Waiter& node, bool is_woken) noexcept;
  int contend(Waiter& node, bool is_woken, const Deadline& deadline) noexcept;
  bool leave_queue(Waiter& node) noexcept;

  int lock_owned(const Deadline& deadline) noexcept;
  int unlock_owned() noexcept;
  void own(std::uint32_t levels) noexcept;

  atomic<std::uint32_t> state_{0};

  // Recursive and error-checking kinds only. `count_` is the owner's; the others compare `owner_`
  // with themselves, which is always right.
  std::uint32_t count_ = 0;
  atomic<std::uint32_t> owner_{0};

  [[maybe_unused]] std::uint32_t unused_ = 0;
  int kind_ = 0;  // constant; PTHREAD_MUTEX_*, and bits of libc's
  [[maybe_unused]] std::uint32_t unused_too_ = 0;

  WaitQueue queue_;  // guarded by queue_lock
};

struct MutexLayout {
  static_assert(sizeof(Mutex) == sizeof(pthread_mutex_t));
  static_assert(alignof(Mutex) <= alignof(pthread_mutex_t));
  static_assert(offsetof(Mutex, kind_) == offsetof(pthread_mutex_t, __data.__kind));
};

inline Mutex& as_mutex(pthread_mutex_t* object) noexcept {
  return *reinterpret_cast<Mutex*>(object);
}

}  // namespace weft::sync
