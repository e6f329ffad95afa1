// SPDX-License-Identifier: Apache-2.0
// Durations of the program's, as deadlines and back.
#pragma once

#include <chrono>
#include <ctime>

#include "os/clock.h"
#include "os/timespec.h"

namespace weft::preload {

inline bool is_valid(const timespec& time) noexcept {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000;
}

// A time that is too long for the clock is for ever. Precondition: is_valid().
inline os::Instant deadline_in(const timespec& time) noexcept {
  constexpr time_t most_seconds = 1'000'000'000;
  if (time.tv_sec >= most_seconds) return os::never;
  return os::MonotonicClock::now() + std::chrono::seconds{time.tv_sec} +
         std::chrono::nanoseconds{time.tv_nsec};
}

inline os::Instant deadline_in_milliseconds(int milliseconds) noexcept {
  return milliseconds < 0 ? os::never
                          : os::MonotonicClock::now() + std::chrono::milliseconds{milliseconds};
}

// Not less than nothing.
inline timespec left_until(os::Instant deadline) noexcept {
  return os::timespec_of(deadline - os::MonotonicClock::now());
}

}  // namespace weft::preload
