// SPDX-License-Identifier: Apache-2.0
// Codel: which jobs to shed, by how long they waited ("controlled delay", Nichols and Jacobson, in
// the form that Facebook's servers use).
//
// A queue that is long for a moment is what queues are for. One whose every job waits is overload:
// when even the shortest wait of an interval was above the target, the next interval sheds what has
// waited for more than twice the target. What is left is served in time.
//
// It goes on until an interval has shed next to nothing. By the shortest wait alone, as it began, a
// moment in which nobody came would end it, and the whole queue be let grow for an interval again.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace weft::pool {

// Not for several threads at once.
class Codel {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  Codel(nanoseconds target, nanoseconds interval) noexcept : target_(target), interval_(interval) {}

  // Tells of a job that is taken `now` (by any clock that does not go back) after it has `waited`.
  // True: shed it.
  bool sheds(nanoseconds now, nanoseconds waited) noexcept {
    if (now >= interval_end_) {
      // What was long ago says nothing.
      const bool goes_on = shed_ * share_that_matters > taken_;
      overloaded_ = (shortest_ > target_ || goes_on) && now < interval_end_ + interval_;
      interval_end_ = now + interval_;
      shortest_ = waited;
      taken_ = 0;
      shed_ = 0;
    } else {
      shortest_ = std::min(shortest_, waited);
    }
    const bool sheds = overloaded_ && waited > 2 * target_;
    ++taken_;
    shed_ += sheds ? 1 : 0;
    return sheds;
  }

 private:
  // One in so many: if no more is too much, the queue grows by no more than that part of an
  // interval.
  static constexpr std::uint64_t share_that_matters = 16;

  const nanoseconds target_;
  const nanoseconds interval_;
  nanoseconds interval_end_{0};
  nanoseconds shortest_{0};  // this and the next two: in this interval
  std::uint64_t taken_ = 0;
  std::uint64_t shed_ = 0;
  bool overloaded_ = false;
};

}  // namespace weft::pool
