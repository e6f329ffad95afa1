// SPDX-License-Identifier: Apache-2.0
// The pairing heap of timers (Fredman, Sedgewick, Sleator, Tarjan 1986).
#include "sched/timers.h"

#include <utility>

namespace weft::sched {
namespace {

using fiber::Fiber;

// Makes one heap of two, each of which may be nullptr.
Fiber* meld(Fiber* first, Fiber* second) noexcept {
  if (first == nullptr) return second;
  if (second == nullptr) return first;
  if (second->timer.deadline < first->timer.deadline) std::swap(first, second);
  second->timer.sibling = first->timer.child;
  if (second->timer.sibling != nullptr) second->timer.sibling->timer.previous = second;
  second->timer.previous = first;
  first->timer.child = second;
  return first;
}

// Makes one heap of a list of siblings: by pairs from the left, and those from the right.
Fiber* meld_siblings(Fiber* first) noexcept {
  Fiber* pairs = nullptr;  // linked by `previous`
  while (first != nullptr) {
    Fiber* const second = first->timer.sibling;
    Fiber* const rest = second == nullptr ? nullptr : second->timer.sibling;
    first->timer.sibling = nullptr;
    if (second != nullptr) second->timer.sibling = nullptr;
    Fiber* const pair = meld(first, second);
    pair->timer.previous = pairs;
    pairs = pair;
    first = rest;
  }
  Fiber* root = nullptr;
  while (pairs != nullptr) {
    Fiber* const next = pairs->timer.previous;
    pairs->timer.previous = nullptr;
    root = meld(root, pairs);
    pairs = next;
  }
  return root;
}

}  // namespace

bool Timers::add(Fiber& fiber, os::Instant deadline) noexcept {
  const std::scoped_lock guard(lock_);
  fiber.timer.deadline = deadline;
  fiber.timer.child = nullptr;
  fiber.timer.sibling = nullptr;
  fiber.timer.previous = nullptr;
  fiber.timer.present = true;
  root_ = meld(root_, &fiber);
  size_.store(size() + 1, std::memory_order_relaxed);
  publish();
  return root_ == &fiber;
}

void Timers::remove(Fiber& fiber) noexcept {
  const std::scoped_lock guard(lock_);
  if (!fiber.timer.present) return;
  take_out(fiber);
  publish();
}

Fiber* Timers::take_due(os::Instant now) noexcept {
  if (nearest() > now) return nullptr;
  const std::scoped_lock guard(lock_);
  Fiber* const due = root_;
  if (due == nullptr || due->timer.deadline > now) return nullptr;
  take_out(*due);
  publish();
  return due;
}

void Timers::take_out(Fiber& fiber) noexcept {
  fiber::TimerEntry& entry = fiber.timer;
  if (&fiber != root_) {
    Fiber* const previous = entry.previous;
    (previous->timer.child == &fiber ? previous->timer.child : previous->timer.sibling) =
        entry.sibling;
    if (entry.sibling != nullptr) entry.sibling->timer.previous = previous;
  }
  Fiber* const children = meld_siblings(entry.child);
  root_ = &fiber == root_ ? children : meld(root_, children);
  if (root_ != nullptr) root_->timer.previous = nullptr;
  entry.child = nullptr;
  entry.sibling = nullptr;
  entry.previous = nullptr;
  entry.present = false;
  size_.store(size() - 1, std::memory_order_relaxed);
}

void Timers::publish() noexcept {
  const os::Instant nearest = root_ == nullptr ? os::never : root_->timer.deadline;
  const auto value = nearest.time_since_epoch().count();
  if (nearest_.load(std::memory_order_relaxed) == value) return;
  nearest_.store(value, std::memory_order_seq_cst);
}

}  // namespace weft::sched
