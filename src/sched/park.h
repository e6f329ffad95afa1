// SPDX-License-Identifier: Apache-2.0
// park() and unpark(): the one way in which anything in weft waits, fibers and kernel threads
// alike.
//
// A thread has one permit. unpark() gives it; park() takes it, and stops until it is there. A
// permit that is there already stays one permit. So an unpark before the park is not lost, and a
// park may return for an unpark that was meant for an earlier one: whoever parks does it in a loop
// around the condition that it waits for. That rule is what makes late wake-ups and timeouts
// harmless, and it holds for every caller:
//
//   waiter                               waker
//     publish the node                     take the node from its queue
//     while (!node.done && !deadline)      Fiber& fiber = *node.fiber
//       park(kind, object, deadline)       node.done = true, release   // the node may be gone now
//                                          unpark(fiber)               // the record never is
#pragma once

#include "fiber/fiber.h"
#include "os/clock.h"

namespace weft::sched {

// Stops the calling thread until it is unparked, the deadline is over, or for no reason. `object`
// is what it waits for, for those who look on.
void park(fiber::ParkKind kind, const void* object, os::Instant deadline = os::never) noexcept;

// Lets the thread's next park return, or the present one.
void unpark(fiber::Fiber& thread) noexcept;

// Lets others that are ready go first; returns at once when there are none.
void yield() noexcept;

// The same for one that has had its share: looks outside for others first. Away from home only.
void end_turn(fiber::Fiber& self) noexcept;

// From now on the calling fiber runs on this worker only; nullptr: on any. Returns there. Where the
// worker retires, the first one takes its place.
void pin_to(Worker* worker) noexcept;

}  // namespace weft::sched
