// SPDX-License-Identifier: Apache-2.0
// The mutex where it is not free, or of a kind that has an owner.
#include "sync/mutex.h"

#include <cerrno>
#include <limits>

#include "os/backoff.h"
#include "sync/generation.h"
#include "sync/patience.h"

namespace weft::sync {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

constexpr unsigned generation_shift = 8;
constexpr std::uint32_t bits_mask = (1U << generation_shift) - 1;

}  // namespace

int Mutex::init(int kind) noexcept {
  if (kind < 0 || kind > kind_mask) return EINVAL;
  state_.store(0, memory_order_relaxed);
  count_ = 0;
  owner_.store(0, memory_order_relaxed);
  kind_ = kind;
  queue_.forget();
  return 0;
}

int Mutex::destroy() noexcept {
  if (read() != 0) return EBUSY;
  kind_ = -1;  // as libc does: now it is not ours, and libc answers EINVAL to whoever uses it
  return 0;
}

std::uint32_t Mutex::word(std::uint32_t bits) noexcept {
  return bits > locked ? bits | generation() << generation_shift : bits;
}

// Answers the bits. Those that are of another generation go first.
std::uint32_t Mutex::read() noexcept {
  std::uint32_t state = state_.load(memory_order_relaxed);
  while (state != word(state & bits_mask)) {
    if (state_.compare_exchange_weak(state, state & locked, memory_order_relaxed)) {
      return state & locked;
    }
  }
  return state & bits_mask;
}

bool Mutex::change(std::uint32_t from, std::uint32_t bits, std::memory_order order) noexcept {
  std::uint32_t expected = word(from);
  return state_.compare_exchange_weak(expected, word(bits), order, memory_order_relaxed);
}

bool Mutex::try_take_contended() noexcept {
  std::uint32_t state = read();
  while ((state & locked) == 0) {
    if (change(state, state | locked, memory_order_acquire)) return true;
    state = read();
  }
  return false;
}

int Mutex::try_lock() noexcept {
  if (is_plain()) return try_take_contended() ? 0 : EBUSY;
  if (is_recursive() && check_held() == 0) return lock_owned(Deadline::none);
  if (!try_take_contended()) return EBUSY;
  own(1);
  return 0;
}

int Mutex::lock_slow(const Deadline& deadline) noexcept {
  // One at a time tries without queueing, or they take the line from the owner all the time: where
  // a waiter has been woken it is that one.
  Patience patience;
  do {
    if (try_take_contended()) return 0;
  } while ((read() & woken) == 0 && patience.try_again());
  if (!deadline.is_valid) return EINVAL;
  Waiter node;
  node.since = os::MonotonicClock::now();
  return contend(node, false, deadline);
}

// Has the mutex in the end, unless the deadline is over. `is_woken`: the bit is about this waiter.
int Mutex::contend(Waiter& node, bool is_woken, const Deadline& deadline) noexcept {
  while (!take_or_queue(node, is_woken)) {
    if (!wait_for_outcome(node, fiber::ParkKind::mutex, this, deadline)) {
      if (leave_queue(node)) return ETIMEDOUT;
      wait_for_outcome(node, fiber::ParkKind::mutex, this);
    }
    if (node.state.load(memory_order_acquire) == Waiter::granted) return 0;
    // Whether or not the deadline is over: queueing again is what passes the wake-up on.
    is_woken = true;
    wait_a_moment([this] { return (read() & locked) == 0; });
  }
  return 0;
}

// Takes the mutex, or queues; in both cases a woken waiter is no longer one.
bool Mutex::take_or_queue(Waiter& node, bool is_woken) noexcept {
  const std::uint32_t my_bit = is_woken ? woken : 0;
  bool starves = false;
  for (os::Backoff backoff;;) {
    std::uint32_t state = read();
    if ((state & locked) == 0) {
      if (change(state, (state | locked) & ~my_bit, memory_order_acquire)) return true;
      continue;
    }
    if ((state & queue_lock) != 0) {
      backoff.pause();
      continue;
    }
    if (is_woken && !starves) {
      const os::Instant now = os::MonotonicClock::now();
      if (node.since == os::never) node.since = now;
      starves = node.has_starved(now);
    }
    if (!change(state, state | queue_lock, memory_order_acquire)) continue;

    if ((state & waiters) == 0) queue_.forget();
    node.state.store(Waiter::waiting, memory_order_relaxed);
    if (is_woken) {
      queue_.push_front(node);
    } else {
      queue_.push_back(node);
    }
    const std::uint32_t next = (state | waiters | (starves ? starving : 0)) & ~my_bit;
    state_.store(word(next), memory_order_release);  // pairs with who locks the queue next
    return false;
  }
}

// Takes the node off the queue; false: somebody else has, and wakes it.
bool Mutex::leave_queue(Waiter& node) noexcept {
  std::uint32_t state = read();
  for (os::Backoff backoff;; state = read()) {
    if ((state & queue_lock) != 0) {
      backoff.pause();
    } else if (change(state, state | queue_lock, memory_order_acquire)) {
      break;
    }
  }
  const bool was_queued = node.queued;
  if (was_queued) queue_.remove(node);
  const std::uint32_t over = was_queued && queue_.empty() ? waiters | starving : 0;
  do {
    state = read();  // `locked` may come meanwhile, and `woken` go
  } while (!change(state, state & ~(queue_lock | over), memory_order_release));
  return was_queued;
}

void Mutex::release_slow() noexcept {
  std::uint32_t state = 0;
  for (os::Backoff backoff;;) {
    state = read();
    if ((state & locked) == 0) return;  // undefined; with libc it does nothing
    if ((state & queue_lock) != 0) {
      backoff.pause();
    } else if ((state & waiters) == 0 || (state & woken) != 0) {
      if (change(state, state & ~locked, memory_order_release)) return;
    } else if (change(state, state | queue_lock, memory_order_acquire)) {
      break;
    }
  }
  Waiter& node = queue_.pop_front();
  std::uint32_t next = queue_.empty() ? state & ~waiters : state;
  std::uint32_t outcome = Waiter::granted;
  if ((state & starving) == 0) {
    outcome = Waiter::woken;
    next = (next & ~locked) | woken;
  } else if (queue_.empty() || !queue_.front()->has_starved(os::MonotonicClock::now())) {
    next &= ~starving;
  }
  // Pairs with who takes the mutex, or locks the queue, next. The last touch of the mutex.
  state_.store(word(next), memory_order_release);
  wake(node, outcome);
}

Waiter* Mutex::adopt(Waiter& first, Waiter& last) noexcept {
  for (os::Backoff backoff;;) {
    std::uint32_t state = read();
    if ((state & queue_lock) != 0) {
      backoff.pause();
      continue;
    }
    // Nobody will unlock it, and nobody is on its way: the first one is now.
    const bool wakes = (state & (locked | woken)) == 0;
    Waiter* const queued = wakes ? first.next : &first;
    first.queued = !wakes;
    const std::uint32_t next = state | (wakes ? woken : 0);
    if (queued == nullptr) {
      if (change(state, next, memory_order_relaxed)) return &first;
      continue;
    }
    if (!change(state, next | queue_lock, memory_order_acquire)) continue;
    if ((state & waiters) == 0) queue_.forget();
    queue_.append(*queued, last);
    do {
      state = read();
    } while (!change(state, (state | waiters) & ~queue_lock, memory_order_release));
    return wakes ? &first : nullptr;
  }
}

int Mutex::check_held() const noexcept {
  if (is_plain()) return 0;
  return owner_.load(memory_order_relaxed) == current_fiber().id ? 0 : EPERM;
}

void Mutex::own(std::uint32_t levels) noexcept {
  owner_.store(current_fiber().id, memory_order_relaxed);
  count_ = levels;
}

int Mutex::lock_owned(const Deadline& deadline) noexcept {
  if (check_held() == 0) {
    if (!is_recursive()) return EDEADLK;
    if (count_ == std::numeric_limits<std::uint32_t>::max()) return EAGAIN;
    ++count_;
    return 0;
  }
  if (!try_take()) {
    if (const int error = lock_slow(deadline); error != 0) return error;
  }
  own(1);
  return 0;
}

int Mutex::unlock_owned() noexcept {
  if (check_held() != 0) return EPERM;
  if (--count_ != 0) return 0;
  owner_.store(0, memory_order_relaxed);
  release();
  return 0;
}

std::uint32_t Mutex::release_all_levels() noexcept {
  std::uint32_t levels = 0;
  if (!is_plain()) {
    levels = count_;
    count_ = 0;
    owner_.store(0, memory_order_relaxed);
  }
  release();
  return levels;
}

void Mutex::reacquire(std::uint32_t levels) noexcept {
  if (!try_take()) lock_slow(Deadline::none);
  if (!is_plain()) own(levels);
}

void Mutex::reacquire(Waiter& node, std::uint32_t levels) noexcept {
  if (node.state.load(memory_order_acquire) == Waiter::woken) {
    contend(node, true, Deadline::none);
  }
  if (!is_plain()) own(levels);
}

}  // namespace weft::sync
