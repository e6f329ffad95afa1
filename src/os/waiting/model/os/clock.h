// SPDX-License-Identifier: Apache-2.0
// The clock that waits are measured by in the `model` preset: inside of a schedule, the schedule's.
#pragma once

#include <chrono>
#include <ctime>

#include "base/atomic_scheduler.h"

namespace weft::os {

struct MonotonicClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    if (base::schedule_time != nullptr) return time_point{duration{*base::schedule_time}};
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return time_point{std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec}};
  }
};

using Instant = MonotonicClock::time_point;

// The deadline of a wait that has none.
inline constexpr Instant never = Instant::max();
static_assert(never.time_since_epoch().count() == base::no_deadline);

}  // namespace weft::os
