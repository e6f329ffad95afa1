// SPDX-License-Identifier: Apache-2.0
// OutsideWaker: keeps a runtime until those who wake its fibers from outside are done with it.
//
// A native thread that unparks a fiber goes on to look at the idle workers after the fiber can run.
// By then the fiber may be over, joined, and the runtime about to go. Carriers keep it by being
// there; the others are counted, all together, before they take a fiber that is parked.
#pragma once

#include <cstdint>

#include "base/atomic.h"
#include "fiber/fiber.h"
#include "os/backoff.h"

namespace weft::sched {

class OutsideWaker {
 public:
  OutsideWaker() = default;
  ~OutsideWaker() {
    if (counted_) count_.fetch_sub(1, std::memory_order_release);
  }
  OutsideWaker(const OutsideWaker&) = delete;
  OutsideWaker& operator=(const OutsideWaker&) = delete;

  // Called before the caller makes a parked fiber its own.
  void enter() noexcept {
    if (counted_ || (fiber::this_fiber != nullptr && !fiber::this_fiber->is_home())) return;
    counted_ = true;
    count_.fetch_add(1);
  }

  // Returns when all who were at it have left.
  static void wait_for_all() noexcept {
    for (os::Backoff backoff; count_.load(std::memory_order_acquire) != 0;) backoff.pause();
  }

 private:
  static inline constinit atomic<std::uint32_t> count_{0};
  bool counted_ = false;
};

}  // namespace weft::sched
