// SPDX-License-Identifier: Apache-2.0
// Metrics: what a pool counts, and how long its jobs waited and took.
#pragma once

#include <cstdint>

#include "base/atomic.h"
#include "measure/histogram.h"

namespace weft::pool {

struct Metrics {
  measure::Histogram waited;   // from acceptance to the start of run()
  measure::Histogram handled;  // run() itself
  measure::Histogram total;    // both

  atomic<std::uint64_t> accepted{0};
  atomic<std::uint64_t> refused{0};
  atomic<std::uint64_t> done{0};
  atomic<std::uint64_t> thrown{0};
  atomic<std::uint64_t> shed{0};
  atomic<std::uint64_t> grown{0};
  atomic<std::uint64_t> retired{0};
  atomic<std::uint64_t> held{0};
  atomic<std::uint32_t> busy{0};
};

}  // namespace weft::pool
