// SPDX-License-Identifier: Apache-2.0
// Interrupts: what others want of a fiber, although what it waits for has not come.
//
// Whoever wants something sets a bit, whose meaning is its own (a signal, a cancellation), and
// wakes the fiber. Waits that end for that (input and output, sleeps, joins, and those of sync/
// whose deadline says so) return as the system call would, interrupted; the others go on. Whoever
// acts on the interrupts takes the bits; until then the next such wait ends at once.
#pragma once

#include "fiber/fiber.h"
#include "sched/park.h"

namespace weft::sched {

// Called in waits that do not end for an interrupt, so that a signal's handler may run; it leaves
// what it does not act on. nullptr: nobody cares.
inline constinit atomic<void (*)()> while_waiting{nullptr};

inline void interrupt(fiber::Fiber& fiber, std::uint32_t bits) noexcept {
  // Pairs with the load below: the permit orders it before the look of a fiber that is woken.
  fiber.interrupts.fetch_or(bits, std::memory_order_seq_cst);
  unpark(fiber);
}

inline bool is_interrupted(const fiber::Fiber& self) noexcept {
  return self.interrupts.load(std::memory_order_relaxed) != 0;
}

// The bits, which are the caller's to act on from now.
inline std::uint32_t take_interrupts(fiber::Fiber& self) noexcept {
  if (!is_interrupted(self)) return 0;
  return self.interrupts.exchange(0, std::memory_order_seq_cst);
}

}  // namespace weft::sched
