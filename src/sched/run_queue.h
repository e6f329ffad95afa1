// SPDX-License-Identifier: Apache-2.0
// RunQueue: fibers that are ready, oldest first; anybody may put one in or take one out.
//
// A list in the fibers themselves under a lock of a few instructions, and its length outside of the
// lock, so that an empty queue costs those who look for work one load.
//
// Rejected: a lock-free deque that only its worker may push to. It saves the owner one locked
// instruction of about 5 ns, and in exchange there is an owner: a worker that is relieved while it
// pushes would corrupt it, a full ring needs a second way, and a thief's failed attempt a third.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/atomic.h"
#include "fiber/fiber.h"
#include "os/spin_lock.h"

namespace weft::sched {

class RunQueue {
 public:
  // A list that is nobody else's: fibers on their way from one queue to another, oldest first.
  struct Chain {
    fiber::Fiber* first = nullptr;
    fiber::Fiber* last = nullptr;
    std::uint32_t length = 0;

    void append(fiber::Fiber& fiber) noexcept {
      fiber.next = nullptr;
      (last == nullptr ? first : last->next) = &fiber;
      last = &fiber;
      ++length;
    }
    fiber::Fiber* pop() noexcept {
      fiber::Fiber* const fiber = first;
      if (fiber == nullptr) return nullptr;
      first = fiber->next;
      if (first == nullptr) last = nullptr;
      --length;
      return fiber;
    }
  };

  // May be out of date at once. Whoever goes to sleep on the answer has said so before, with a
  // fence in between; see IdleWorkers.
  std::uint32_t length() const noexcept { return length_.load(std::memory_order_relaxed); }
  bool empty() const noexcept { return length() == 0; }

  void push(fiber::Fiber& fiber) noexcept {
    Chain chain;
    chain.append(fiber);
    push(chain);
  }

  void push(const Chain& chain) noexcept {
    if (chain.first == nullptr) return;
    const std::scoped_lock guard(lock_);
    (list_.last == nullptr ? list_.first : list_.last->next) = chain.first;
    list_.last = chain.last;
    list_.length += chain.length;
    length_.store(list_.length, std::memory_order_relaxed);
  }

  fiber::Fiber* pop() noexcept {
    if (empty()) return nullptr;
    const std::scoped_lock guard(lock_);
    fiber::Fiber* const fiber = list_.pop();
    length_.store(list_.length, std::memory_order_relaxed);
    return fiber;
  }

  // Takes the older half, or the only one. Gives up where somebody else is at it: there is other
  // work to look for, and whoever goes to sleep looks at the length once more.
  Chain steal() noexcept {
    Chain stolen;
    if (empty() || !lock_.try_lock()) return stolen;
    for (std::uint32_t count = (list_.length + 1) / 2; count > 0; --count) {
      stolen.append(*list_.pop());
    }
    length_.store(list_.length, std::memory_order_relaxed);
    lock_.unlock();
    return stolen;
  }

  Chain take_all() noexcept {
    if (empty()) return {};
    const std::scoped_lock guard(lock_);
    const Chain all = list_;
    list_ = {};
    length_.store(0, std::memory_order_relaxed);
    return all;
  }

 private:
  os::SpinLock lock_;
  atomic<std::uint32_t> length_{0};  // written under the lock
  Chain list_;                       // guarded by lock_
};

}  // namespace weft::sched
