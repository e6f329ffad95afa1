// SPDX-License-Identifier: Apache-2.0
// Semaphore: what is in the bytes of a sem_t.
//
// The word: the value in the lower half, where libc has it. Above it:
//   waiters      the queue is not empty; without this bit the queue's bytes mean nothing
//   queue_lock   somebody works on the queue
//   the fork generation, wherever one of these is set (see generation.h)
// A token that is posted while somebody waits goes to the first in the queue, not into the value,
// where anybody could take it.
//
// post() may be called by a signal handler, also one that has interrupted who holds the queue lock.
// So it never waits for that lock: it adds to the value, and leaves the rest to the holder, who
// cannot let go of the lock while there are both tokens and waiters.
//
// Who posts touches the semaphore no more once its token can be taken, because who takes it may
// destroy the semaphore: either the token is in the value with the last operation, or it goes to a
// waiter that is told so when all else is done.
#pragma once

#include <semaphore.h>

#include <climits>
#include <cstddef>
#include <cstdint>

#include "base/atomic.h"
#include "sync/deadline.h"
#include "sync/waiter.h"

namespace weft::sync {

class Semaphore {
 public:
  // Functions answer 0, or the errno value that the function of the name sets.
  int init(unsigned value) noexcept;

  // False: process-shared or named. Such a semaphore is libc's, and nothing else here may be
  // called.
  bool is_ours() const noexcept { return shared_ == 0; }

  int wait() noexcept {
    if (try_take_once()) [[likely]]
      return 0;
    return wait_slow(Deadline::none);
  }
  int wait_until(const Deadline& deadline) noexcept {
    if (try_take_once()) [[likely]]
      return 0;
    return wait_slow(deadline);
  }
  int try_wait() noexcept;

  int post() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    // Pairs with the exchange that takes the token.
    if (word < SEM_VALUE_MAX &&
        word_.compare_exchange_strong(word, word + 1, std::memory_order_release,
                                      std::memory_order_relaxed)) [[likely]] {
      return 0;
    }
    return post_slow();
  }

  unsigned value() const noexcept { return value_of(word_.load(std::memory_order_relaxed)); }

 private:
  friend struct SemaphoreLayout;

  static constexpr std::uint64_t waiters = std::uint64_t{1} << 32U;
  static constexpr std::uint64_t queue_lock = std::uint64_t{1} << 33U;
  static constexpr unsigned generation_shift = 40;

  static unsigned value_of(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }

  bool try_take_once() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    return value_of(word) != 0 &&
           word_.compare_exchange_strong(word, word - 1, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  static std::uint64_t with_generation(std::uint64_t bits) noexcept;
  std::uint64_t read() noexcept;
  bool change(std::uint64_t from, std::uint64_t bits, std::memory_order order) noexcept;

  int wait_slow(const Deadline& deadline) noexcept;
  int post_slow() noexcept;
  bool take_or_queue(Waiter& node) noexcept;
  bool leave_queue(Waiter& node) noexcept;
  void unlock_queue(Waiter* first) noexcept;

  atomic<std::uint64_t> word_{0};
  int shared_ = 0;  // constant; where libc has it
  [[maybe_unused]] int unused_ = 0;
  WaitQueue queue_;  // guarded by queue_lock
};

struct SemaphoreLayout {
  static_assert(sizeof(Semaphore) == sizeof(sem_t));
  static_assert(alignof(Semaphore) <= alignof(sem_t));
  static_assert(offsetof(Semaphore, shared_) == 8);  // libc's type does not say
};

inline Semaphore& as_semaphore(sem_t* object) noexcept {
  return *reinterpret_cast<Semaphore*>(object);
}

}  // namespace weft::sync
