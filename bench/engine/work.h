// SPDX-License-Identifier: Apache-2.0
// Work for a CPU: steps of which each needs the one before.
#pragma once

#include <cstdint>

namespace weft::engine {

inline void work(std::uint64_t steps) {
  std::uint64_t state = steps | 1;
  for (std::uint64_t i = 0; i < steps; ++i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    asm volatile("" : "+r"(state));
  }
}

}  // namespace weft::engine
