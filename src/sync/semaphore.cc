// SPDX-License-Identifier: Apache-2.0
// The semaphore where somebody waits.
#include "sync/semaphore.h"

#include <cerrno>
#include <new>

#include "os/backoff.h"
#include "sched/park.h"
#include "sync/generation.h"

namespace weft::sync {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

}  // namespace

int Semaphore::init(unsigned value) noexcept {
  if (value > SEM_VALUE_MAX) return EINVAL;
  new (this) Semaphore;
  word_.store(value, memory_order_relaxed);
  return 0;
}

std::uint64_t Semaphore::with_generation(std::uint64_t bits) noexcept {
  if ((bits & (waiters | queue_lock)) == 0) return bits;
  return bits | std::uint64_t{generation()} << generation_shift;
}

// Answers the value and the bits. Bits that are of another generation go first.
std::uint64_t Semaphore::read() noexcept {
  constexpr std::uint64_t mask = (std::uint64_t{1} << generation_shift) - 1;
  std::uint64_t word = word_.load(memory_order_relaxed);
  while (word != with_generation(word & mask)) {
    if (word_.compare_exchange_weak(word, value_of(word), memory_order_relaxed)) {
      return value_of(word);
    }
  }
  return word & mask;
}

bool Semaphore::change(std::uint64_t from, std::uint64_t bits, std::memory_order order) noexcept {
  std::uint64_t expected = with_generation(from);
  return word_.compare_exchange_weak(expected, with_generation(bits), order, memory_order_relaxed);
}

int Semaphore::try_wait() noexcept {
  for (;;) {
    const std::uint64_t word = read();
    if (value_of(word) == 0) return EAGAIN;
    if (change(word, word - 1, memory_order_acquire)) return 0;
  }
}

int Semaphore::wait_slow(const Deadline& deadline) noexcept {
  if (try_wait() == 0) return 0;
  if (!deadline.is_valid) return EINVAL;
  Waiter node;
  if (take_or_queue(node)) return 0;
  if (wait_for_outcome(node, fiber::ParkKind::semaphore, this, deadline)) return 0;
  if (leave_queue(node)) return ETIMEDOUT;
  wait_for_outcome(node, fiber::ParkKind::semaphore, this);
  return 0;
}

bool Semaphore::take_or_queue(Waiter& node) noexcept {
  for (os::Backoff backoff;;) {
    const std::uint64_t word = read();
    if (value_of(word) != 0) {
      if (change(word, word - 1, memory_order_acquire)) return true;
    } else if ((word & queue_lock) != 0) {
      backoff.pause();
    } else if (change(word, word | queue_lock, memory_order_acquire)) {
      if ((word & waiters) == 0) queue_.forget();
      queue_.push_back(node);
      unlock_queue(nullptr);
      return false;
    }
  }
}

// Takes the node off the queue; false: somebody else has, with a token for it.
bool Semaphore::leave_queue(Waiter& node) noexcept {
  for (os::Backoff backoff;;) {
    const std::uint64_t word = read();
    if ((word & queue_lock) != 0) {
      backoff.pause();
    } else if (change(word, word | queue_lock, memory_order_acquire)) {
      break;
    }
  }
  const bool was_queued = node.queued;
  if (was_queued) queue_.remove(node);
  unlock_queue(nullptr);
  return was_queued;
}

// Gives the tokens that came meanwhile to those who wait, and lets go of the queue. Who gets one is
// told after the last touch of the semaphore, and so is `first`, if there is one.
void Semaphore::unlock_queue(Waiter* first) noexcept {
  Waiter** end = first == nullptr ? &first : &first->next;
  for (;;) {
    const std::uint64_t word = read();
    if (queue_.empty()) {
      if (change(word, word & ~(waiters | queue_lock), memory_order_release)) break;
    } else if (value_of(word) == 0) {
      if (change(word, (word | waiters) & ~queue_lock, memory_order_release)) break;
    } else if (change(word, word - 1, memory_order_acquire)) {
      Waiter& node = queue_.pop_front();
      *end = &node;
      end = &node.next;
    }
  }
  wake_chain(first, Waiter::granted);
}

int Semaphore::post_slow() noexcept {
  for (;;) {
    const std::uint64_t word = read();
    if (value_of(word) >= SEM_VALUE_MAX) return EOVERFLOW;
    if ((word & waiters) == 0 || (word & queue_lock) != 0) {
      if (change(word, word + 1, memory_order_release)) return 0;
      continue;
    }
    if (change(word, word | queue_lock, memory_order_acquire)) break;
  }
  unlock_queue(&queue_.pop_front());
  return 0;
}

}  // namespace weft::sync
