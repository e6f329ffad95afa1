// SPDX-License-Identifier: Apache-2.0
// Plan: what is done with requests until the next look; and the decision on one of them, which is a
// function of the plan, of how many there are, and of its turn.
#pragma once

#include <chrono>
#include <cstdint>

#include <weft/admission.h>

#include "admission/pressure_control.h"
#include "admission/queue_control.h"

namespace weft::admission {

// One word, so that it can be read and changed as a whole.
struct Plan {
  static constexpr std::uint32_t unlimited = 0xffff;
  static constexpr std::uint32_t all = 1000;  // of a share

  std::uint64_t may_wait : 16 = unlimited;
  std::uint64_t low_may_wait : 16 = unlimited;
  std::uint64_t low_share : 11 = 0;
  std::uint64_t normal_share : 11 = 0;
  std::uint64_t low_reason : 3 = 0;  // a Refusal, as the next
  std::uint64_t normal_reason : 3 = 0;
  std::uint64_t sheds : 1 = 0;
  std::uint64_t closed : 1 = 0;
  std::uint64_t draining : 1 = 0;

  AdmissionState state() const noexcept;
};
static_assert(sizeof(Plan) == 8 && refusal_count <= 8);

Plan plan_for(const QueuePlan& queue, const PressurePlan& pressure) noexcept;

// Who asks, and what it finds.
struct Request {
  Priority priority = Priority::normal;
  std::uint32_t waiting = 0;
  std::uint32_t in_flight = 0;
  std::uint64_t turn = 0;  // how many of its priority have asked before
};

struct Limits {
  std::uint32_t in_flight = 0;           // at the most; 0: any number
  std::uint32_t critical_in_flight = 8;  // of all, for critical ones while closed
};

// How many may wait, before one of this priority must not.
std::uint32_t limit_of(const Plan& plan, Priority priority) noexcept;

// Shares are taken from the order of turns, evenly: of any n in a row n * share are refused, give
// or take two. Chance would refuse some clients three times running.
Refusal decide(const Plan& plan, const Limits& limits, const Request& request) noexcept;

// From half of `base` to one and a half, by the turn.
std::chrono::milliseconds jittered(std::chrono::milliseconds base, std::uint64_t turn) noexcept;

// How long who is refused should stay away: half a second for each time that what is offered is
// more than what is let in, up to ten.
std::chrono::milliseconds retry_base(const Plan& plan, std::uint64_t offered,
                                     std::uint64_t admitted) noexcept;

}  // namespace weft::admission
