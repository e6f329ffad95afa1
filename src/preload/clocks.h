// SPDX-License-Identifier: Apache-2.0
// Deadlines of the program's, by the clocks that it names.
#pragma once

#include <ctime>

#include "sync/deadline.h"

namespace weft::preload {

inline bool is_wait_clock(clockid_t clock) noexcept {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME;
}

// Precondition: is_wait_clock().
inline sync::Deadline deadline_of(clockid_t clock, const timespec& time) noexcept {
  return sync::Deadline::at(
      clock == CLOCK_MONOTONIC ? sync::Deadline::Clock::monotonic : sync::Deadline::Clock::realtime,
      time);
}

}  // namespace weft::preload
