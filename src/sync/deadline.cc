// SPDX-License-Identifier: Apache-2.0
// Deadlines as times of the clock that parks are measured by.
#include "sync/deadline.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace weft::sync {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();

std::int64_t real_time() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * second + time.tv_nsec;
}

}  // namespace

Deadline Deadline::at(Clock clock, const timespec& time) noexcept {
  Deadline result;
  result.clock = clock;
  result.is_valid = time.tv_nsec >= 0 && time.tv_nsec < second;
  if (!result.is_valid) return result;
  if (time.tv_sec < 0) return result;  // both epochs are over
  const bool fits = time.tv_sec < latest / second;
  result.nanoseconds = fits ? time.tv_sec * second + time.tv_nsec : latest;
  return result;
}

std::optional<os::Instant> Deadline::park_until_by_clock() const noexcept {
  const os::Instant now = os::MonotonicClock::now();
  if (clock == Clock::monotonic) {
    const os::Instant deadline{std::chrono::nanoseconds{nanoseconds}};
    return deadline > now ? std::optional(deadline) : std::nullopt;
  }
  const std::int64_t left = nanoseconds - real_time();
  if (left <= 0) return std::nullopt;
  return now + std::chrono::nanoseconds{std::min(left, second)};
}

}  // namespace weft::sync
