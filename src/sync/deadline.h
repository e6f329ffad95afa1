// SPDX-License-Identifier: Apache-2.0
// Deadline: until when a wait may last, by the clock that the program named.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

#include "os/clock.h"
#include "sched/interrupt.h"

namespace weft::sync {

struct Deadline {
  enum class Clock : std::uint8_t { none, monotonic, realtime };

  static const Deadline none;

  // An absolute time. One that makes no sense is kept as such: POSIX calls it an error only for
  // those who have to wait.
  static Deadline at(Clock clock, const timespec& time) noexcept;
  static Deadline at(os::Instant moment) noexcept {
    return {.clock = Clock::monotonic, .nanoseconds = moment.time_since_epoch().count()};
  }

  // The same, for a wait that an interrupt ends as if the deadline were over (sched/interrupt.h).
  Deadline or_interrupt() const noexcept {
    Deadline result = *this;
    result.ends_by_interrupt = true;
    return result;
  }

  // Until when to park; nothing: the deadline is over.
  //
  // Parks are measured by the monotonic clock. Whoever sets the real-time clock moves a real-time
  // deadline against it, and tells nobody: such a wait looks at its own clock every second.
  std::optional<os::Instant> park_until() const noexcept {
    if (ends_by_interrupt && sched::is_interrupted(fiber::self())) return std::nullopt;
    if (clock == Clock::none) return os::never;
    return park_until_by_clock();
  }

  Clock clock = Clock::none;
  bool is_valid = true;
  bool ends_by_interrupt = false;
  std::int64_t nanoseconds = 0;  // since the epoch of the clock

 private:
  std::optional<os::Instant> park_until_by_clock() const noexcept;
};

inline constexpr Deadline Deadline::none{};

}  // namespace weft::sync
