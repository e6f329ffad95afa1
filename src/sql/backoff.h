// SPDX-License-Identifier: Apache-2.0
// How long to leave a database alone after so many failures in a row; pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace weft::sql {

// Doubles from the shortest to the longest. `chance`, from 0 to 1, takes up to half of it off, so
// that those who failed together do not come back together.
constexpr std::chrono::nanoseconds pause_after(std::uint32_t failures,
                                               std::chrono::nanoseconds shortest,
                                               std::chrono::nanoseconds longest,
                                               double chance) noexcept {
  if (failures == 0) return std::chrono::nanoseconds(0);
  std::chrono::nanoseconds pause = std::min(shortest, longest);
  for (std::uint32_t number = 1; number < failures && pause < longest; ++number) {
    pause = std::min(2 * pause, longest);
  }
  const double share = 1 - std::clamp(chance, 0.0, 1.0) / 2;
  return std::chrono::nanoseconds(
      static_cast<std::chrono::nanoseconds::rep>(static_cast<double>(pause.count()) * share));
}

}  // namespace weft::sql
