// SPDX-License-Identifier: Apache-2.0
// The decision, and its words.
#include "admission/plan.h"

#include <algorithm>
#include <cmath>

namespace weft {

const char* to_string(Priority priority) noexcept {
  switch (priority) {
    case Priority::critical:
      return "critical";
    case Priority::normal:
      return "normal";
    case Priority::low:
      return "low";
  }
  return "unknown";
}

const char* to_string(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::none:
      return "none";
    case Refusal::draining:
      return "draining";
    case Refusal::memory_pressure:
      return "memory-pressure";
    case Refusal::io_pressure:
      return "io-pressure";
    case Refusal::cpu_pressure:
      return "cpu-pressure";
    case Refusal::throttled:
      return "throttled";
    case Refusal::queue_delay:
      return "queue-delay";
    case Refusal::concurrency:
      return "concurrency";
  }
  return "unknown";
}

const char* to_string(AdmissionState state) noexcept {
  switch (state) {
    case AdmissionState::open:
      return "open";
    case AdmissionState::shedding:
      return "shedding";
    case AdmissionState::closed:
      return "closed";
  }
  return "unknown";
}

}  // namespace weft

namespace weft::admission {
namespace {

std::uint64_t part_of_all(double share) noexcept {
  return static_cast<std::uint64_t>(std::lround(std::clamp(share, 0.0, 1.0) * Plan::all));
}

// The golden ratio's multiples, in the upper bits: each new one falls into the largest gap that
// those before it have left.
std::uint64_t spread(std::uint64_t turn) noexcept {
  return turn * 0x9e3779b97f4a7c15U;
}

}  // namespace

AdmissionState Plan::state() const noexcept {
  if (closed != 0) return AdmissionState::closed;
  return sheds != 0 ? AdmissionState::shedding : AdmissionState::open;
}

Plan plan_for(const QueuePlan& queue, const PressurePlan& pressure) noexcept {
  const double low_by_queue = std::min(1.0, 2 * queue.share);
  const auto reason = [&](double by_queue, double by_pressure) {
    if (pressure.closed) return Refusal::memory_pressure;
    return by_pressure > by_queue ? pressure.reason : Refusal::queue_delay;
  };
  Plan plan;
  plan.may_wait = std::min(queue.may_wait, Plan::unlimited) & 0xffff;
  plan.low_may_wait = std::min(queue.low_may_wait, Plan::unlimited) & 0xffff;
  plan.low_share = part_of_all(std::max(low_by_queue, pressure.low_share)) & 0x7ff;
  plan.normal_share = part_of_all(std::max(queue.share, pressure.normal_share)) & 0x7ff;
  plan.low_reason = static_cast<std::uint64_t>(reason(low_by_queue, pressure.low_share)) & 7;
  plan.normal_reason = static_cast<std::uint64_t>(reason(queue.share, pressure.normal_share)) & 7;
  plan.sheds = queue.sheds || pressure.low_share > 0 ? 1 : 0;
  plan.closed = pressure.closed ? 1 : 0;
  return plan;
}

std::uint32_t limit_of(const Plan& plan, Priority priority) noexcept {
  const std::uint64_t limit = priority == Priority::low ? plan.low_may_wait : plan.may_wait;
  return limit == Plan::unlimited ? QueuePlan::unlimited : static_cast<std::uint32_t>(limit);
}

Refusal decide(const Plan& plan, const Limits& limits, const Request& request) noexcept {
  const bool is_low = request.priority == Priority::low;
  const auto reason = static_cast<Refusal>(is_low ? plan.low_reason : plan.normal_reason);
  if (request.priority == Priority::critical) {
    return plan.closed != 0 && request.in_flight >= limits.critical_in_flight ? reason
                                                                              : Refusal::none;
  }
  if (plan.draining != 0) return Refusal::draining;
  if (plan.closed != 0) return reason;
  const std::uint64_t share = is_low ? plan.low_share : plan.normal_share;
  if (share != 0 && (spread(request.turn) >> 32) * Plan::all >> 32 < share) return reason;
  if (request.waiting >= limit_of(plan, request.priority)) return Refusal::queue_delay;
  if (limits.in_flight != 0 && request.in_flight >= limits.in_flight) return Refusal::concurrency;
  return Refusal::none;
}

std::chrono::milliseconds jittered(std::chrono::milliseconds base, std::uint64_t turn) noexcept {
  const auto part = static_cast<std::int64_t>(spread(turn) >> 54);  // of 1024
  return base / 2 + base * part / 1024;
}

std::chrono::milliseconds retry_base(const Plan& plan, std::uint64_t offered,
                                     std::uint64_t admitted) noexcept {
  using namespace std::chrono_literals;
  if (plan.closed != 0) return 10s;
  const double ratio =
      static_cast<double>(offered) / static_cast<double>(std::max<std::uint64_t>(admitted, 1));
  return std::chrono::milliseconds(std::lround(500 * std::clamp(ratio, 1.0, 20.0)));
}

}  // namespace weft::admission
