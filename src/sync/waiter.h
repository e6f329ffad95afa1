// SPDX-License-Identifier: Apache-2.0
// Waiter and WaitQueue: who waits for an object, in the order of arrival.
//
// A waiter is a node on the stack of the thread that waits. The queue's head and tail are in the
// bytes of the object; a lock of the object's guards them and every node that is in the queue.
//
//   queued         --taken off, under the lock-->   chosen     (`queued` is false)
//   chosen         --wake(), without the lock-->    woken or granted
//   queued         --deadline, under the lock-->    gone
// So a waiter whose deadline is over takes the lock and looks at `queued`: either it leaves, or
// somebody has chosen it, and the answer arrives in `state`. Until it has, the waiter stays in its
// call: that keeps both the node and the object alive for who chose it.
//
// wake() is the last touch of the node. It comes after the last touch of the object, because what
// the woken one does first may be to destroy the object and give back its memory.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/atomic.h"
#include "fiber/fiber.h"
#include "os/clock.h"
#include "sched/park.h"
#include "sync/deadline.h"

namespace weft::sync {

// The calling thread.
inline fiber::Fiber& current_fiber() noexcept {
  fiber::Fiber* const fiber = fiber::this_fiber;
  return fiber != nullptr ? *fiber : fiber::self();
}

struct Waiter {
  static constexpr std::uint32_t waiting = 0;
  static constexpr std::uint32_t woken = 1;    // may try again
  static constexpr std::uint32_t granted = 2;  // has what it waited for

  explicit Waiter(fiber::Fiber& thread) noexcept : fiber(&thread) {}
  Waiter() noexcept : Waiter(current_fiber()) {}

  // Whether it has waited for a lock so long that it must get it next.
  static constexpr std::chrono::milliseconds starving_after{1};
  bool has_starved(os::Instant now) const noexcept {
    return since != os::never && now - since > starving_after;
  }

  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // Constant.
  fiber::Fiber* const fiber;

  // Guarded by the lock of the queue; of who took the node off, between that and wake().
  Waiter* next = nullptr;
  Waiter* previous = nullptr;
  bool queued = false;
  os::Instant since = os::never;  // from when on it waits for a lock; never: not known yet

  // Atomic; written by wake(), and by the waiter while it is not queued.
  atomic<std::uint32_t> state{waiting};
};

// All zero bytes are an empty queue. An operation that empties it writes the head last: who sees an
// empty queue without the lock may give its memory back.
class WaitQueue {
 public:
  // Pairs with set_head().
  bool empty() const noexcept { return front() == nullptr; }
  Waiter* front() const noexcept { return head_.load(std::memory_order_acquire); }

  void push_back(Waiter& node) noexcept {
    node.queued = true;
    append(node, node);
  }

  void push_front(Waiter& node) noexcept {
    if (empty()) return push_back(node);
    node.queued = true;
    node.previous = nullptr;
    node.next = front();
    node.next->previous = &node;
    set_head(&node);
  }

  // Takes over a chain of nodes that are linked both ways and marked as queued.
  void append(Waiter& first, Waiter& last) noexcept {
    first.previous = empty() ? nullptr : tail_;
    last.next = nullptr;
    if (empty()) {
      set_head(&first);
    } else {
      tail_->next = &first;
    }
    tail_ = &last;
  }

  void remove(Waiter& node) noexcept {
    Waiter* const next = node.next;
    node.queued = false;
    node.next = nullptr;
    if (next != nullptr) {
      next->previous = node.previous;
    } else {
      tail_ = node.previous;
    }
    if (node.previous != nullptr) {
      node.previous->next = next;
    } else {
      set_head(next);
    }
  }

  Waiter& pop_front() noexcept {
    Waiter& node = *front();
    remove(node);
    return node;
  }

  // Takes all, as a chain that is still linked and marked as queued; or nullptr.
  Waiter* detach() noexcept {
    Waiter* const first = front();
    forget();
    return first;
  }

  void forget() noexcept {
    tail_ = nullptr;
    set_head(nullptr);
  }

 private:
  void set_head(Waiter* node) noexcept { head_.store(node, std::memory_order_release); }

  atomic<Waiter*> head_{nullptr};
  Waiter* tail_ = nullptr;
};
static_assert(sizeof(WaitQueue) == 16);

// Tells the waiter its outcome. The node may be gone after the store, the fiber's record never is.
inline void wake(Waiter& node, std::uint32_t outcome) noexcept {
  fiber::Fiber& fiber = *node.fiber;
  node.state.store(outcome,
                   std::memory_order_release);  // pairs with the load in wait_for_outcome()
  sched::unpark(fiber);
}

// The same for a chain that its caller has taken off a queue.
inline void wake_chain(Waiter* node, std::uint32_t outcome) noexcept {
  while (node != nullptr) {
    Waiter* const next = node->next;
    wake(*node, outcome);
    node = next;
  }
}

// Waits for wake(); false: the deadline is over, and nobody has woken the waiter.
inline bool wait_for_outcome(const Waiter& node, fiber::ParkKind kind, const void* object,
                             const Deadline& deadline = Deadline::none) noexcept {
  while (node.state.load(std::memory_order_acquire) == Waiter::waiting) {
    const auto until = deadline.park_until();
    if (!until) return false;
    if (sched::is_interrupted(*node.fiber)) {
      if (auto* const act = sched::while_waiting.load(std::memory_order_relaxed)) act();
    }
    sched::park(kind, object, *until);
  }
  return true;
}

}  // namespace weft::sync
