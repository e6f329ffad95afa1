// SPDX-License-Identifier: Apache-2.0
// Meeting: threads that come together in the kernel, which the engine knows nothing of.
#pragma once

#include <cstdint>
#include <limits>

#include "base/atomic.h"
#include "os/futex.h"

namespace weft::model {

// Whoever comes stops its carrier until all are there. So as many carriers as are to meet must run
// at once: no fiber may be left ready while a worker sleeps.
class Meeting {
 public:
  explicit Meeting(std::uint32_t expected) : expected_(expected) {}

  void come() {
    std::uint32_t present = present_.fetch_add(1) + 1;
    if (present == expected_) os::futex_wake(present_, std::numeric_limits<int>::max());
    while ((present = present_.load()) < expected_) os::futex_wait(present_, present);
  }

 private:
  const std::uint32_t expected_;
  atomic<std::uint32_t> present_{0};
};

}  // namespace weft::model
