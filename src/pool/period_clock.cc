// SPDX-License-Identifier: Apache-2.0
// What looks have in common.
#include "pool/period_clock.h"

#include <algorithm>

namespace weft::pool {
namespace {

constexpr int parts_to_know = 16;  // of a period
constexpr int parts_to_wake = 20;  // until who was stopped runs again
constexpr int parts_to_look = 8;   // before and behind the instant at which one begins

// The last multiple of `period` behind `origin` that is not behind `now`.
nanoseconds last_beat(nanoseconds origin, nanoseconds period, nanoseconds now) noexcept {
  nanoseconds passed = (now - origin) % period;
  if (passed < nanoseconds{0}) passed += period;
  return now - passed;
}

}  // namespace

void PeriodClock::observe(nanoseconds before, nanoseconds after, std::uint64_t count,
                          bool was_stopped) noexcept {
  const bool has_begun = has_count_ && count == count_ + 1 && after - counted_ < period_;
  const nanoseconds since =
      was_stopped ? std::max(counted_, after - period_ / parts_to_wake) : counted_;
  has_count_ = true;
  count_ = count;
  counted_ = before;
  if (!has_begun) return;
  if (has_begin_) {
    // What was known, moved to where it is nearest.
    const nanoseconds middle = since + (after - since) / 2;
    const nanoseconds moved =
        last_beat(earliest_ + (latest_ - earliest_) / 2, period_, middle + period_ / 2);
    const nanoseconds half = (latest_ - earliest_) / 2;
    earliest_ = std::max(since, moved - half);
    latest_ = std::min(after, moved + half);
    if (earliest_ <= latest_) return;
  }
  has_begin_ = true;
  earliest_ = since;
  latest_ = after;
}

bool PeriodClock::is_known() const noexcept {
  return has_begin_ && (latest_ - earliest_) * parts_to_know <= period_;
}

nanoseconds PeriodClock::begin_of(nanoseconds now) const noexcept {
  return last_beat(earliest_ + (latest_ - earliest_) / 2, period_, now);
}

bool PeriodClock::wants_count(nanoseconds now) const noexcept {
  if (!is_known()) return true;
  const nanoseconds passed = now - begin_of(now);
  return std::min(passed, period_ - passed) * parts_to_look <= period_;
}

}  // namespace weft::pool
