// SPDX-License-Identifier: Apache-2.0
// RwLock: what is in the bytes of a pthread_rwlock_t.
//
// The word: the number of readers in the upper half. Below it:
//   writer           somebody has the lock for writing; then there are no readers
//   readers_wait     the queue of the readers is not empty
//   writers_wait     the queue of the writers is not empty
//   queue_lock       somebody works on the queues
//   woken            a writer was taken off and woken, and has not yet got the lock or queued again
//   starving         the first of the writers gets the lock from who releases it last
// and the fork generation wherever one of the last five is set (see generation.h). Without its bit
// the bytes of a queue mean nothing.
//
// Two preferences, as libc has them. By default readers pass writers that wait, and may starve
// them; a thread may read-lock twice. PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP: readers wait
// when a writer does. PTHREAD_RWLOCK_PREFER_WRITER_NP is the default, nearly as in libc.
//
// Readers that waited get the lock, all at once. Writers are woken and compete, as with the mutex,
// and for the same reason; see there also for `woken` and `starving`.
//
// Invariants
//   - starving implies writers_wait and that somebody has the lock, and excludes woken.
//   - writers_wait while nobody has the lock implies woken.
//   - readers_wait implies writer, or where writers are preferred: writer, writers_wait or woken.
//   - While another has the queue lock nobody makes the lock free: not a writer, nor the last
//   reader.
//     So who has the queue lock and finds the lock held can queue. And with `writer` set it has the
//     whole word to itself. Readers come and go meanwhile if there is one.
//   - Who releases the lock does so with the operation that is its last touch; the next owner may
//     destroy it. So the last reader, where somebody waits, first makes itself a writer.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "base/atomic.h"
#include "sync/deadline.h"
#include "sync/waiter.h"

namespace weft::sync {

class RwLock {
 public:
  // Functions answer 0, or an errno value as the pthread function of the name does.
  int init(int preference) noexcept;
  int destroy() noexcept;

  // False: process-shared. Such a lock is libc's, and nothing else here may be called.
  bool is_ours() const noexcept { return shared_ == 0; }

  int read_lock() noexcept {
    if (try_read_once()) [[likely]]
      return 0;
    return read_lock_slow(Deadline::none);
  }
  int read_lock_until(const Deadline& deadline) noexcept {
    if (try_read_once()) [[likely]]
      return 0;
    return read_lock_slow(deadline);
  }
  int try_read_lock() noexcept;

  int write_lock() noexcept { return write_lock_until(Deadline::none); }
  int write_lock_until(const Deadline& deadline) noexcept {
    std::uint64_t expected = 0;
    // Pairs with the release of everybody who had the lock.
    if (word_.compare_exchange_strong(expected, writer, std::memory_order_acquire,
                                      std::memory_order_relaxed)) [[likely]] {
      return own();
    }
    return write_lock_slow(deadline);
  }
  int try_write_lock() noexcept;

  int unlock() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    if ((word & writer) != 0) owner_.store(0, std::memory_order_relaxed);
    // A writer without anybody who waits, or readers likewise.
    if (word == writer || (static_cast<std::uint32_t>(word) == 0 && word != 0)) [[likely]] {
      const std::uint64_t next = word == writer ? 0 : word - one_reader;
      // Pairs with whoever takes the lock.
      if (word_.compare_exchange_strong(word, next, std::memory_order_release,
                                        std::memory_order_relaxed)) [[likely]] {
        return 0;
      }
    }
    return unlock_slow();
  }

 private:
  friend struct RwLockLayout;

  static constexpr std::uint64_t writer = 1;
  static constexpr std::uint64_t readers_wait = 2;
  static constexpr std::uint64_t writers_wait = 4;
  static constexpr std::uint64_t queue_lock = 8;
  static constexpr std::uint64_t woken = 16;
  static constexpr std::uint64_t starving = 32;
  static constexpr unsigned generation_shift = 8;
  static constexpr unsigned readers_shift = 32;
  static constexpr std::uint64_t one_reader = std::uint64_t{1} << readers_shift;
  static constexpr std::uint64_t most_readers = (std::uint64_t{1} << 29U) - 1;

  // Pairs with the release of whoever had the lock for writing.
  bool try_read_once() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    return static_cast<std::uint32_t>(word) == 0 && word < most_readers << readers_shift &&
           word_.compare_exchange_strong(word, word + one_reader, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  static std::uint64_t readers(std::uint64_t word) noexcept { return word >> readers_shift; }
  static bool is_free(std::uint64_t word) noexcept {
    return readers(word) == 0 && (word & writer) == 0;
  }
  bool prefers_writers() const noexcept {
    return preference_ == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
  }
  // A writer waits, and readers have to let it pass.
  bool is_for_writers(std::uint64_t word) const noexcept {
    return prefers_writers() && (word & (writers_wait | woken)) != 0;
  }
  bool may_read(std::uint64_t word) const noexcept {
    return (word & writer) == 0 && !is_for_writers(word);
  }
  bool is_writer() const noexcept {
    return owner_.load(std::memory_order_relaxed) == current_fiber().id;
  }
  int own() noexcept {
    owner_.store(current_fiber().id, std::memory_order_relaxed);
    return 0;
  }

  static std::uint64_t with_generation(std::uint64_t bits) noexcept;
  std::uint64_t read() noexcept;
  bool change(std::uint64_t from, std::uint64_t bits, std::memory_order order) noexcept;

  int read_lock_slow(const Deadline& deadline) noexcept;
  bool read_or_queue(Waiter& node) noexcept;
  int write_lock_slow(const Deadline& deadline) noexcept;
  bool write_or_queue(Waiter& node, bool is_woken) noexcept;
  int unlock_slow() noexcept;
  bool must_hand_on(std::uint64_t word) const noexcept;
  void hand_on(std::uint64_t word) noexcept;
  bool leave_queue(Waiter& node, WaitQueue& queue, std::uint64_t bits) noexcept;
  void unlock_queues(std::uint64_t set, std::uint64_t clear) noexcept;

  atomic<std::uint64_t> word_{0};
  WaitQueue readers_;               // guarded by queue_lock
  atomic<std::uint32_t> owner_{0};  // the writer, for its own eyes
  int shared_ = 0;                  // constant
  WaitQueue writers_;               // guarded by queue_lock
  unsigned preference_ = 0;         // constant; PTHREAD_RWLOCK_PREFER_*
  [[maybe_unused]] std::uint32_t unused_ = 0;
};

struct RwLockLayout {
  static_assert(sizeof(RwLock) == sizeof(pthread_rwlock_t));
  static_assert(alignof(RwLock) <= alignof(pthread_rwlock_t));
  static_assert(offsetof(RwLock, shared_) == offsetof(pthread_rwlock_t, __data.__shared));
  static_assert(offsetof(RwLock, preference_) == offsetof(pthread_rwlock_t, __data.__flags));
};

inline RwLock& as_rwlock(pthread_rwlock_t* object) noexcept {
  return *reinterpret_cast<RwLock*>(object);
}

}  // namespace weft::sync
