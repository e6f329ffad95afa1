// SPDX-License-Identifier: Apache-2.0
// InjectionQueue: fibers made ready by somebody who is no worker: homes, native threads, the
// poller.
//
// A stack that is pushed to with one compare-and-swap and taken as a whole with one exchange: no
// lock, so that a signal handler may push; no node is ever taken alone, so that there is no ABA.
#pragma once

#include "base/atomic.h"
#include "fiber/fiber.h"
#include "sched/run_queue.h"

namespace weft::sched {

class InjectionQueue {
 public:
  bool empty() const noexcept { return newest_.load(std::memory_order_relaxed) == nullptr; }

  void push(fiber::Fiber& fiber) noexcept {
    fiber::Fiber* newest = newest_.load(std::memory_order_relaxed);
    do {
      fiber.next = newest;
    } while (!newest_.compare_exchange_weak(newest, &fiber, std::memory_order_release,
                                            std::memory_order_relaxed));
  }

  // Oldest first. Acquires what every push released, by the exchange.
  RunQueue::Chain take_all() noexcept {
    if (empty()) return {};
    fiber::Fiber* fiber = newest_.exchange(nullptr, std::memory_order_acquire);
    RunQueue::Chain chain;
    for (; fiber != nullptr;) {
      fiber::Fiber* const older = fiber->next;
      fiber->next = chain.first;
      chain.first = fiber;
      if (chain.last == nullptr) chain.last = fiber;
      ++chain.length;
      fiber = older;
    }
    return chain;
  }

 private:
  atomic<fiber::Fiber*> newest_{nullptr};
};

}  // namespace weft::sched
