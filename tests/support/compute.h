// SPDX-License-Identifier: Apache-2.0
// Computes for so long, by the CPU's clock: who is stopped meanwhile is not done sooner.
#pragma once

#include <chrono>
#include <ctime>

namespace weft::support {

inline void compute(std::chrono::nanoseconds cpu_time) {
  const auto used = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto until = used() + cpu_time;
  while (used() < until) continue;
}

}  // namespace weft::support
