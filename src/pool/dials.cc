// SPDX-License-Identifier: Apache-2.0
// The two dials, and the override when all are busy.
#include "pool/dials.h"

#include <algorithm>

namespace weft::pool {
namespace {

using namespace std::chrono_literals;

// In quarters of the smallest size: as it is, half as many more, twice, four times.
constexpr std::uint32_t quarters_at_level[] = {4, 6, 8, 16};

int queue_level(std::size_t queued, std::size_t capacity) noexcept {
  const std::size_t percent = queued * 100 / std::max<std::size_t>(capacity, 1);
  return percent >= 30 ? 3 : percent >= 15 ? 2 : percent >= 5 ? 1 : 0;
}

int latency_level(std::chrono::nanoseconds average) noexcept {
  return average >= 50ms ? 3 : average >= 20ms ? 2 : average >= 5ms ? 1 : 0;
}

}  // namespace

std::uint32_t workers_by_dials(const DialsLook& look) noexcept {
  const int level =
      std::max(queue_level(look.queued, look.capacity), latency_level(look.average_latency));
  std::uint32_t target = (look.minimum * quarters_at_level[level] + 3) / 4;
  const bool all_busy = look.busy >= look.workers && look.queued != 0;
  if (all_busy) target = std::max(target, look.workers + 1);
  return std::clamp(target, look.minimum, look.maximum);
}

}  // namespace weft::pool
