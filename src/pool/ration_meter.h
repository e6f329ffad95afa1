// SPDX-License-Identifier: Apache-2.0
// RationMeter: a Ration with a clock, the process's CPU time and the kernel's count of periods.
#pragma once

#include <weft/budget.h>

#include <cstdint>

#include "os/clock.h"
#include "os/file.h"
#include "pool/period_clock.h"
#include "pool/ration.h"

namespace weft::pool {

// For one thread.
class RationMeter {
 public:
  // Where the periods cannot be read, all may always begin.
  explicit RationMeter(const budget::CpuQuota& quota);

  RationAnswer look(os::Instant now, std::uint32_t running, std::uint64_t done, std::uint32_t cpus);

 private:
  void read_count(os::Instant now);

  os::Descriptor stat_;
  PeriodClock clock_;
  Ration ration_;
  std::uint64_t throttled_ = 0;
};

}  // namespace weft::pool
