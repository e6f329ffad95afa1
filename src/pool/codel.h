// SPDX-License-Identifier: Apache-2.0
// Codel: which jobs to shed, by how long they waited ("controlled delay", Nichols and Jacobson, in
// the form that Facebook's servers use).
//
// A queue that is long for a moment is what queues are for. One whose every job waits is overload:
// when even the shortest wait of an interval was above the target, the next interval sheds what has
// waited for more than twice the target. What is left is served in time.
#pragma once

#include <algorithm>
#include <chrono>

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
      overloaded_ = shortest_ > target_ && now < interval_end_ + interval_;
      interval_end_ = now + interval_;
      shortest_ = waited;
    } else {
      shortest_ = std::min(shortest_, waited);
    }
    return overloaded_ && waited > 2 * target_;
  }

 private:
  const nanoseconds target_;
  const nanoseconds interval_;
  nanoseconds interval_end_{0};
  nanoseconds shortest_{0};
  bool overloaded_ = false;
};

}  // namespace weft::pool
