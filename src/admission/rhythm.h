// SPDX-License-Identifier: Apache-2.0
// How often to look: at the queue often while there is one, at the kernel's averages each second.
#pragma once

#include <chrono>

#include "admission/plan.h"
#include "admission/queue_control.h"

namespace weft::admission {

inline constexpr nanoseconds busy_period = std::chrono::milliseconds(5);
inline constexpr nanoseconds quiet_period = std::chrono::milliseconds(100);
inline constexpr nanoseconds pressure_period = std::chrono::seconds(1);

inline nanoseconds until_next_look(const Plan& plan, const QueueSample& sample) noexcept {
  const bool is_busy = sample.waiting > 0 || plan.state() != AdmissionState::open;
  return is_busy ? busy_period : quiet_period;
}

}  // namespace weft::admission
