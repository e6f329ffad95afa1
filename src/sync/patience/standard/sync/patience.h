// SPDX-License-Identifier: Apache-2.0
// Patience: what is tried for a lock before its locker queues.
#pragma once

#include "os/backoff.h"
#include "sched/park.h"

namespace weft::sync {

// The owner may be running on another CPU, and done soon: spin. Or it is ready, and needs this CPU:
// yield.
class Patience {
 public:
  // Waits a moment; false: queue.
  bool try_again() noexcept {
    if (spins_ < spins_before_yield) {
      ++spins_;
      backoff_.pause();
      return true;
    }
    if (yields_ == yields_before_queueing) return false;
    ++yields_;
    spins_ = 0;
    backoff_ = {};
    sched::yield();
    return true;
  }

 private:
  static constexpr int spins_before_yield = 20;
  static constexpr int yields_before_queueing = 2;

  int spins_ = 0;
  int yields_ = 0;
  os::Backoff backoff_;
};

}  // namespace weft::sync
