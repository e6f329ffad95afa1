// SPDX-License-Identifier: Apache-2.0
// weft::Admission: is a request let in, and if not, why, and when may it come again.
//
//   weft::AdmissionControl control;                         // <weft/admission_control.h>
//   auto [answer, ticket] = control.admit(weft::Priority::normal);
//   if (!answer.admitted()) return unavailable(answer);     // 503 and Retry-After, or gRPC's
//   pool.submit([ticket = std::move(ticket)]() mutable { ticket.start(); … });
//
// Concepts
//   waiting    let in, and not yet begun: Ticket::start() tells. What waits is the queue, whoever
//              keeps it. Requests that have begun are not limited: they may be blocked, and cost
//              nothing.
//   standing   a queue whose every request waits. One that is long for a moment is what queues are
//              for.
//   idle       an arriving request finds CPUs with nothing to do. While others are being refused,
//              that is capacity lost.
//   pressure   what the kernel says of stalls (PSI) and of the quota: a machine in trouble that the
//              queue may not show.
//
// States
//   open      --more come than are begun, and the queue stands-->  shedding
//   open      --memory, io, or the quota stall us for long-->      shedding
//   shedding  --nobody refused for a second-->                     open
//   any       --memory stalls everybody, and has for long-->       closed  --half of it--> shedding
//
// Who sheds alone
//   queue      yes, and first: it is what requests make and feel. While it sheds, no more may wait
//              than just keep the CPUs busy; that is what makes the accepted ones fast, and not a
//              share that is set some times a second.
//   memory     yes, up to closed: thrashing gets worse with each request, and ends in a kill.
//   io         yes, but half of the normal ones at most: some need no disk.
//   throttled  low ones only: the whole quota is used, which is what it is for.
//   cpu        low ones only; and `some`, which two threads on one CPU make all day, only while
//              the queue sheds. A CPU that is always busy, with a queue that moves, is good.
//
// Invariants
//   - Critical requests are refused only while closed, and then only beyond a few at a time.
//   - Low ones are shed before normal ones.
//   - Nobody is refused for the CPUs being used: without a queue, or a stall of all, all go in.
//
// Rejected: a limit on requests under way by Little's law (throughput times the shortest latency,
// as brpc has it). It must stop the traffic now and then to see that latency, takes a slow database
// for an overloaded server, and has to be right; ours is moved until the CPUs have next to no idle
// time, which is what was wanted of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace weft {

enum class Priority : std::uint8_t {
  critical,  // health and control
  normal,
  low,  // can be done without, or later
};
inline constexpr std::size_t priority_count = 3;

enum class Refusal : std::uint8_t {
  none,
  draining,         // the process is about to end
  memory_pressure,  // everybody waits for memory
  io_pressure,      // everybody waits for the disk
  cpu_pressure,     // everybody waits for a CPU that others have
  throttled,        // the CPU quota is used up, period after period
  queue_delay,      // more come than can be served
  concurrency,      // as many are under way as there may be
};
inline constexpr std::size_t refusal_count = 8;

enum class AdmissionState : std::uint8_t { open, shedding, closed };

// "critical", …; "none", "draining", "memory-pressure", "queue-delay", …; "open", …
const char* to_string(Priority priority) noexcept;
const char* to_string(Refusal refusal) noexcept;
const char* to_string(AdmissionState state) noexcept;

struct Admission {
  Refusal refusal = Refusal::none;
  // When to come again: longer, the more are refused, and different for each, so that they do not
  // come together. Zero for who was admitted.
  std::chrono::milliseconds retry_after{0};

  bool admitted() const noexcept { return refusal == Refusal::none; }
};

}  // namespace weft
