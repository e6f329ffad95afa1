// SPDX-License-Identifier: Apache-2.0
// What the two sides of a switch share: the fiber that stops, and the idle context of a carrier.
#pragma once

#include <cstdint>

#include "sched/worker.h"

namespace weft::sched {

// A fiber that wakes another often stops itself right after (it hands over): then the other is best
// run by the same worker, and waking a sleeper for it is a waste. Fiber::wakes_then_parks counts
// how often in a row it was so; from this many on no sleeper is woken. If it turns out wrong, the
// monitor sees a fiber waiting in Worker::next.
inline constexpr std::uint8_t sure_to_park = 2;

// Makes the fiber the carrier's; the switch follows.
void enter(Carrier& carrier, fiber::Fiber& fiber) noexcept;

// Leaves one context of the carrier for another.
void switch_context(Carrier& carrier, arch::Context& from, const arch::Context& to,
                    void* thread_pointer) noexcept;

// Right after a switch, in the context that was entered: does what the one that was left asked for.
void finish_switch(Carrier& carrier) noexcept;

// The same, for a fiber, which may have been continued at home.
void finish_switch(fiber::Fiber& self) noexcept;

}  // namespace weft::sched
