// SPDX-License-Identifier: Apache-2.0
// Timers: the fibers that a worker has parked with a deadline, the nearest first.
//
// A pairing heap under a lock, made of entries in the fibers: each has one deadline at a time, and
// nothing is allocated. A deadline that is over is an unpark like any other: the fiber looks at the
// clock itself. The nearest deadline stands outside of the lock, for those who look whether
// anything is due, and for who sleeps until it is.
#pragma once

#include <cstddef>
#include <mutex>

#include "base/atomic.h"
#include "fiber/fiber.h"
#include "os/clock.h"
#include "os/spin_lock.h"

namespace weft::sched {

class Timers {
 public:
  // The nearest deadline there is, or never.
  os::Instant nearest() const noexcept {
    return os::Instant{os::Instant::duration{nearest_.load(std::memory_order_seq_cst)}};
  }

  // Precondition: the fiber has no entry here or elsewhere. Answers whether it is the nearest now.
  bool add(fiber::Fiber& fiber, os::Instant deadline) noexcept;

  // Takes the entry out if it is there.
  void remove(fiber::Fiber& fiber) noexcept;

  // Takes out a fiber whose deadline is over; nullptr: there is none.
  fiber::Fiber* take_due(os::Instant now) noexcept;

  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

 private:
  void take_out(fiber::Fiber& fiber) noexcept;
  void publish() noexcept;

  os::SpinLock lock_;
  fiber::Fiber* root_ = nullptr;  // guarded by lock_
  atomic<os::Instant::rep> nearest_{os::never.time_since_epoch().count()};
  atomic<std::size_t> size_{0};
};

}  // namespace weft::sched
