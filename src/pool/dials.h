// SPDX-License-Identifier: Apache-2.0
// The original's two dials: how many workers a pool should have, by its queue and its latency.
//
// Kept as they were, with what is wrong with them: an average latency that a slow handler alone
// pins at "saturated", and a depth in percent of a capacity, which says nothing about time. The
// original does not say what its factors multiply; here it is the smallest size of the pool, as
// factors of the present size would reach the maximum within a few looks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace weft::pool {

struct DialsLook {
  std::size_t queued = 0;
  std::size_t capacity = 1;
  std::chrono::nanoseconds average_latency{0};  // of the last jobs: waiting and handling
  std::uint32_t busy = 0;
  std::uint32_t workers = 1;
  std::uint32_t minimum = 1;
  std::uint32_t maximum = 1;
};

// From minimum to maximum.
std::uint32_t workers_by_dials(const DialsLook& look) noexcept;

}  // namespace weft::pool
