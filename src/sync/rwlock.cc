// SPDX-License-Identifier: Apache-2.0
// The reader-writer lock where somebody waits.
#include "sync/rwlock.h"

#include <cerrno>
#include <new>

#include "os/backoff.h"
#include "sync/generation.h"
#include "sync/patience.h"

namespace weft::sync {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

// Marks all as taken off; answers how many.
std::uint64_t choose_all(Waiter* node) noexcept {
  std::uint64_t count = 0;
  for (; node != nullptr; node = node->next, ++count) node->queued = false;
  return count;
}

}  // namespace

int RwLock::init(int preference) noexcept {
  if (preference < PTHREAD_RWLOCK_PREFER_READER_NP ||
      preference > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) {
    return EINVAL;
  }
  new (this) RwLock;
  preference_ = static_cast<unsigned>(preference);
  return 0;
}

int RwLock::destroy() noexcept {
  return read() == 0 ? 0 : EBUSY;
}

std::uint64_t RwLock::with_generation(std::uint64_t bits) noexcept {
  if ((bits & (readers_wait | writers_wait | queue_lock | woken | starving)) == 0) return bits;
  return bits | std::uint64_t{generation()} << generation_shift;
}

// Answers the readers and the bits. Bits that are of another generation go first.
std::uint64_t RwLock::read() noexcept {
  constexpr std::uint64_t low_bits = (1U << generation_shift) - 1;
  constexpr std::uint64_t all_readers = ~std::uint64_t{0} << readers_shift;
  std::uint64_t word = word_.load(memory_order_relaxed);
  while (word != with_generation(word & (all_readers | low_bits))) {
    const std::uint64_t held = word & (all_readers | writer);
    if (word_.compare_exchange_weak(word, held, memory_order_relaxed)) return held;
  }
  return word & (all_readers | low_bits);
}

bool RwLock::change(std::uint64_t from, std::uint64_t bits, std::memory_order order) noexcept {
  std::uint64_t expected = with_generation(from);
  return word_.compare_exchange_weak(expected, with_generation(bits), order, memory_order_relaxed);
}

int RwLock::try_read_lock() noexcept {
  for (;;) {
    const std::uint64_t word = read();
    if (!may_read(word)) return EBUSY;
    if (readers(word) >= most_readers) return EAGAIN;
    if (change(word, word + one_reader, memory_order_acquire)) return 0;
  }
}

int RwLock::try_write_lock() noexcept {
  for (;;) {
    const std::uint64_t word = read();
    if (!is_free(word)) return EBUSY;
    if (change(word, word | writer, memory_order_acquire)) return own();
  }
}

int RwLock::read_lock_slow(const Deadline& deadline) noexcept {
  if (is_writer()) return EDEADLK;
  Patience patience;
  do {
    if (const int result = try_read_lock(); result != EBUSY) return result;
  } while (patience.try_again());
  if (!deadline.is_valid) return EINVAL;

  Waiter node;
  if (read_or_queue(node)) return 0;
  if (wait_for_outcome(node, fiber::ParkKind::rwlock, this, deadline)) return 0;
  if (leave_queue(node, readers_, readers_wait)) return ETIMEDOUT;
  wait_for_outcome(node, fiber::ParkKind::rwlock, this);
  return 0;
}

bool RwLock::read_or_queue(Waiter& node) noexcept {
  for (os::Backoff backoff;;) {
    const std::uint64_t word = read();
    if (may_read(word)) {
      if (change(word, word + one_reader, memory_order_acquire)) return true;
    } else if ((word & queue_lock) != 0) {
      backoff.pause();
    } else if (change(word, word | queue_lock, memory_order_acquire)) {
      if ((word & readers_wait) == 0) readers_.forget();
      readers_.push_back(node);
      unlock_queues(readers_wait, 0);
      return false;
    }
  }
}

int RwLock::write_lock_slow(const Deadline& deadline) noexcept {
  if (is_writer()) return EDEADLK;
  Patience patience;
  do {
    if (try_write_lock() == 0) return 0;
  } while (patience.try_again());
  if (!deadline.is_valid) return EINVAL;

  Waiter node;
  node.since = os::MonotonicClock::now();
  for (bool is_woken = false; !write_or_queue(node, is_woken); is_woken = true) {
    if (!wait_for_outcome(node, fiber::ParkKind::rwlock, this, deadline)) {
      if (leave_queue(node, writers_, writers_wait | starving)) return ETIMEDOUT;
      wait_for_outcome(node, fiber::ParkKind::rwlock, this);
    }
    if (node.state.load(memory_order_acquire) == Waiter::granted) break;
    // Whether or not the deadline is over: queueing again is what passes the wake-up on.
  }
  return own();
}

// Takes the lock, or queues; in both cases a woken writer is no longer one.
bool RwLock::write_or_queue(Waiter& node, bool is_woken) noexcept {
  const std::uint64_t my_bit = is_woken ? woken : 0;
  bool starves = false;
  for (os::Backoff backoff;;) {
    const std::uint64_t word = read();
    if (is_free(word)) {
      if (change(word, (word | writer) & ~my_bit, memory_order_acquire)) return true;
      continue;
    }
    if ((word & queue_lock) != 0) {
      backoff.pause();
      continue;
    }
    if (is_woken && !starves) starves = node.has_starved(os::MonotonicClock::now());
    if (!change(word, word | queue_lock, memory_order_acquire)) continue;

    if ((word & writers_wait) == 0) writers_.forget();
    node.state.store(Waiter::waiting, memory_order_relaxed);
    if (is_woken) {
      writers_.push_front(node);
    } else {
      writers_.push_back(node);
    }
    unlock_queues(writers_wait | (starves ? starving : 0), my_bit);
    return false;
  }
}

// Takes the node off the queue; false: somebody else has, and wakes it.
bool RwLock::leave_queue(Waiter& node, WaitQueue& queue, std::uint64_t bits) noexcept {
  for (os::Backoff backoff;;) {
    const std::uint64_t word = read();
    if ((word & queue_lock) != 0) {
      backoff.pause();
    } else if (change(word, word | queue_lock, memory_order_acquire)) {
      break;
    }
  }
  const bool was_queued = node.queued;
  if (was_queued) queue.remove(node);
  unlock_queues(0, was_queued && queue.empty() ? bits : 0);
  return was_queued;
}

// Changes the bits, and lets go of the queues. Where the last writer has given up, the readers that
// waited because of it get the lock.
void RwLock::unlock_queues(std::uint64_t set, std::uint64_t clear) noexcept {
  Waiter* granted = nullptr;
  for (;;) {
    const std::uint64_t word = read();
    const std::uint64_t next = (word | set) & ~clear;
    if ((next & readers_wait) == 0 || !may_read(next)) {
      if (change(word, next & ~queue_lock, memory_order_release)) break;
      continue;
    }
    std::uint64_t count = 0;
    for (const Waiter* node = readers_.front(); node != nullptr; node = node->next) ++count;
    if (!change(word, (next & ~readers_wait) + count * one_reader, memory_order_relaxed)) continue;
    granted = readers_.detach();
    choose_all(granted);
    set &= ~readers_wait;
  }
  wake_chain(granted, Waiter::granted);
}

int RwLock::unlock_slow() noexcept {
  for (os::Backoff backoff;;) {
    const std::uint64_t word = read();
    if (is_free(word)) return 0;  // undefined
    const bool is_last = (word & writer) != 0 || readers(word) == 1;
    const std::uint64_t next = (word & writer) != 0 ? word & ~writer : word - one_reader;
    if (is_last && (word & queue_lock) != 0) {
      backoff.pause();
    } else if (!is_last || !must_hand_on(word)) {
      if (change(word, next, memory_order_release)) return 0;
    } else {
      // Nobody comes in any more; acquires what the readers before us have released.
      const std::uint64_t held = next | writer | queue_lock;
      if (!change(word, held, memory_order_acquire)) continue;
      hand_on(held);
      return 0;
    }
  }
}

// Whether the last one to leave has somebody to wake.
bool RwLock::must_hand_on(std::uint64_t word) const noexcept {
  return ((word & readers_wait) != 0 && !is_for_writers(word)) ||
         (word & (writers_wait | woken)) == writers_wait;
}

// Lets go of the lock and of the queues, of which the caller has both.
void RwLock::hand_on(std::uint64_t word) noexcept {
  std::uint64_t next = word & ~(writer | queue_lock);
  std::uint32_t outcome = Waiter::granted;
  Waiter* chosen = nullptr;
  if ((word & readers_wait) != 0 && !is_for_writers(word)) {
    chosen = readers_.detach();
    next = (next & ~readers_wait) + choose_all(chosen) * one_reader;
  } else {
    chosen = &writers_.pop_front();
    if (writers_.empty()) next &= ~writers_wait;
    if ((word & starving) == 0) {
      outcome = Waiter::woken;
      next |= woken;
    } else {
      next |= writer;
      const Waiter* const first = writers_.front();
      if (first == nullptr || !first->has_starved(os::MonotonicClock::now())) next &= ~starving;
    }
  }
  // Pairs with who takes the lock, or locks the queues, next. The last touch of the lock.
  word_.store(with_generation(next), memory_order_release);
  wake_chain(chosen, outcome);
}

}  // namespace weft::sync
