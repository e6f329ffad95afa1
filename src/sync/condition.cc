// SPDX-License-Identifier: Apache-2.0
// Waiting on a condition, and moving those who wait to their mutex.
#include "sync/condition.h"

#include <array>
#include <cerrno>
#include <mutex>

#include "os/spin_lock.h"
#include "sync/address_hash.h"
#include "sync/generation.h"

namespace weft::sync {
namespace {

struct alignas(bucket_alignment) Bucket {
  os::SpinLock lock;
};

constinit std::array<Bucket, buckets> table;

os::SpinLock& lock_of(const Condition& condition) noexcept {
  return table[bucket_of(&condition)].lock;
}

struct ConditionWaiter : Waiter {
  explicit ConditionWaiter(Mutex& locked) noexcept : mutex(&locked) {}

  Mutex* const mutex;
  bool is_on_condition = true;  // guarded by the lock of the table
};

ConditionWaiter& on_condition(Waiter& node) noexcept {
  return static_cast<ConditionWaiter&>(node);
}

}  // namespace

int Condition::init(Deadline::Clock clock) noexcept {
  queue_.forget();
  generation_ = generation();
  flags_ = clock == Deadline::Clock::monotonic ? monotonic : 0;
  return 0;
}

int Condition::destroy() noexcept {
  if (queue_.empty()) return 0;
  const std::lock_guard guard(lock_of(*this));
  drop_other_generation();
  return queue_.empty() ? 0 : EBUSY;
}

void Condition::forget_locks() noexcept {
  for (Bucket& bucket : table) bucket.lock.unlock();
}

void Condition::drop_other_generation() noexcept {
  if (generation_ == generation()) return;
  queue_.forget();
  generation_ = generation();
}

int Condition::wait_until(Mutex& mutex, const Deadline& deadline) noexcept {
  if (!deadline.is_valid) return EINVAL;
  if (const int error = mutex.check_held(); error != 0) return error;
  os::SpinLock& table_lock = lock_of(*this);
  ConditionWaiter node(mutex);
  {
    const std::lock_guard guard(table_lock);
    drop_other_generation();
    queue_.push_back(node);
  }
  const std::uint32_t levels = mutex.release_all_levels();
  if (!wait_for_outcome(node, fiber::ParkKind::condition, this, deadline)) {
    bool is_over = false;
    {
      const std::lock_guard guard(table_lock);
      is_over = node.is_on_condition;  // if not, the condition may be gone
      if (is_over) queue_.remove(node);
    }
    if (is_over) {
      mutex.reacquire(levels);
      return ETIMEDOUT;
    }
    wait_for_outcome(node, fiber::ParkKind::mutex, &mutex);
  }
  mutex.reacquire(node, levels);
  return 0;
}

void Condition::signal_slow() noexcept {
  Waiter* to_wake = nullptr;
  {
    const std::lock_guard guard(lock_of(*this));
    drop_other_generation();
    if (queue_.empty()) return;
    Waiter& node = queue_.pop_front();
    on_condition(node).is_on_condition = false;
    to_wake = on_condition(node).mutex->adopt(node, node);
  }
  if (to_wake != nullptr) wake(*to_wake, Waiter::woken);
}

void Condition::broadcast_slow() noexcept {
  os::SpinLock& table_lock = lock_of(*this);
  // Waiters with different mutexes are undefined, but may not break the others: one run of nodes
  // with the same mutex after the other. Those to wake, one per mutex, become a chain.
  Waiter* to_wake = nullptr;
  {
    const std::lock_guard guard(table_lock);
    drop_other_generation();
    Waiter* first = queue_.detach();
    while (first != nullptr) {
      Mutex* const mutex = on_condition(*first).mutex;
      Waiter* last = first;
      on_condition(*last).is_on_condition = false;
      while (last->next != nullptr && on_condition(*last->next).mutex == mutex) {
        last = last->next;
        on_condition(*last).is_on_condition = false;
      }
      Waiter* const rest = last->next;
      last->next = nullptr;
      if (Waiter* const woken = mutex->adopt(*first, *last); woken != nullptr) {
        woken->next = to_wake;
        to_wake = woken;
      }
      first = rest;
    }
  }
  wake_chain(to_wake, Waiter::woken);
}

}  // namespace weft::sync
