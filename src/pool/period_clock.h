// SPDX-License-Identifier: Apache-2.0
// PeriodClock: when the periods of a CPU quota begin, learnt from how many the kernel has counted.
//
// The kernel says nowhere when a period begins, but its timer keeps the beat, also while the cgroup
// sleeps: periods begin at one instant plus any multiple of their length. Each look that finds one
// more counted than the last says that one began in between; what all of these have in common is
// the instant. A look that contradicts is right, and the past is wrong.
#pragma once

#include <chrono>
#include <cstdint>

namespace weft::pool {

using std::chrono::nanoseconds;

class PeriodClock {
 public:
  explicit PeriodClock(nanoseconds period) noexcept : period_(period) {}

  // The count was read between these two instants, by any clock that does not go back. Whoever was
  // stopped since the last, for the quota was used up, has just been let go by a new period.
  void observe(nanoseconds before, nanoseconds after, std::uint64_t count,
               bool was_stopped) noexcept;
  // Whether a count that is read now would tell something.
  bool wants_count(nanoseconds now) const noexcept;

  // To a sixteenth of a period, or better.
  bool is_known() const noexcept;
  // Of the period that it is in. Precondition: is_known().
  nanoseconds begin_of(nanoseconds now) const noexcept;
  nanoseconds period() const noexcept { return period_; }

 private:
  nanoseconds period_;
  bool has_count_ = false;
  std::uint64_t count_ = 0;
  nanoseconds counted_{0};  // when that was read, at the earliest
  bool has_begin_ = false;
  nanoseconds earliest_{0};  // a period began between these two
  nanoseconds latest_{0};
};

}  // namespace weft::pool
