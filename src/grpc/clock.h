// SPDX-License-Identifier: Apache-2.0
// The clock that does not jump, as gRPC has it.
#pragma once

#include <grpc/support/time.h>

#include <chrono>

namespace weft::grpc {

// max(): never; min(): long ago.
inline gpr_timespec timespec_of(std::chrono::steady_clock::time_point instant) noexcept {
  if (instant == instant.max()) return ::gpr_inf_future(GPR_CLOCK_MONOTONIC);
  if (instant == instant.min()) return ::gpr_inf_past(GPR_CLOCK_MONOTONIC);
  const std::chrono::nanoseconds since_start = instant.time_since_epoch();
  gpr_timespec time = ::gpr_time_from_nanos(since_start.count(), GPR_TIMESPAN);
  time.clock_type = GPR_CLOCK_MONOTONIC;  // which steady_clock is
  return time;
}

}  // namespace weft::grpc
