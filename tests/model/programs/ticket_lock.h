// SPDX-License-Identifier: Apache-2.0
// Program: a lock that serves tickets in order, and spins.
#pragma once

#include "base/atomic.h"
#include "model/model.h"

namespace weft::model {

struct TakeTicketAtomically {
  static int take(atomic<int>& next) { return next.fetch_add(1, std::memory_order_relaxed); }
};

template <class Policy = TakeTicketAtomically>
class TicketLock {
 public:
  void lock() {
    const int ticket = Policy::take(next_);
    while (serving_.load(std::memory_order_acquire) != ticket) base::yield();
  }
  void unlock() {
    serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  atomic<int> next_{0};
  atomic<int> serving_{0};
};

}  // namespace weft::model
