// SPDX-License-Identifier: Apache-2.0
// The clock that waits are measured by: the kernel's monotonic one.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace weft::os {

struct MonotonicClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return time_point{std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec}};
  }
};

using Instant = MonotonicClock::time_point;

// The deadline of a wait that has none.
inline constexpr Instant never = Instant::max();

}  // namespace weft::os
