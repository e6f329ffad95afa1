// SPDX-License-Identifier: Apache-2.0
// Patience: what is tried for a lock before its locker queues.
#pragma once

#include "arch/system_call.h"
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

// For the one who has been woken: less and less often it looks, a few microseconds in all, and
// leaves the owner undisturbed in between. Measured: docs/decisions/010.
template <class IsOver>
void wait_a_moment(IsOver is_over) noexcept {
  constexpr int most_pauses = 128;
  for (int pauses = 1; pauses <= most_pauses && !is_over(); pauses *= 2) {
    for (int i = 0; i < pauses; ++i) arch::relax();
  }
}

}  // namespace weft::sync
