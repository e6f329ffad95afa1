// SPDX-License-Identifier: Apache-2.0
// SpinLock: guards a few instructions of the engine; nobody switches, waits or allocates under it.
#pragma once

#include <cstdint>

#include "base/atomic.h"
#include "os/backoff.h"

namespace weft::os {

class SpinLock {
 public:
  bool try_lock() noexcept {
    return held_.load(std::memory_order_relaxed) == 0 &&
           held_.exchange(1, std::memory_order_acquire) == 0;
  }
  void lock() noexcept {
    for (Backoff backoff; !try_lock();) backoff.pause();
  }
  // Pairs with the exchange in try_lock().
  void unlock() noexcept { held_.store(0, std::memory_order_release); }

 private:
  atomic<std::uint32_t> held_{0};
};

}  // namespace weft::os
