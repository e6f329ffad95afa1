// SPDX-License-Identifier: Apache-2.0
// Times as the kernel takes them.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace weft::os {

// Not less than nothing.
inline timespec timespec_of(std::chrono::nanoseconds time) noexcept {
  const auto positive = std::max(time, std::chrono::nanoseconds::zero());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(positive);
  return {.tv_sec = seconds.count(), .tv_nsec = (positive - seconds).count()};
}

}  // namespace weft::os
