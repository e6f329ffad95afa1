// SPDX-License-Identifier: Apache-2.0
// Durations as metrics and dashboards have them.
#pragma once

#include <chrono>

namespace weft::serve {

inline double seconds_of(std::chrono::nanoseconds time) noexcept {
  return std::chrono::duration<double>(time).count();
}

}  // namespace weft::serve
