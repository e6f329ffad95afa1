// SPDX-License-Identifier: Apache-2.0
// What the threads of a run and the one that watches them say to each other.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::load {

// Counters are for people to look at: relaxed, and exact only once the threads have ended.
struct SharedProgress {
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> ended{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<bool> stop{false};
};

}  // namespace weft::load
