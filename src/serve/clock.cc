// SPDX-License-Identifier: Apache-2.0
// The time, by the kernel's clocks.
#include "serve/clock.h"

#include <chrono>
#include <ctime>

#include "http/date.h"

namespace weft::serve {

Moment thread_moment() noexcept {
  thread_local http::DateCache date;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return {std::chrono::steady_clock::now(), date.text(now.tv_sec)};
}

}  // namespace weft::serve
