// SPDX-License-Identifier: Apache-2.0
// The catcher: a kernel thread of ours that hears of signals for the process, and kicks carriers.
// What it does with them, and why, is told in signals.h.
#pragma once

#include <cstdint>

#include "fiber/fiber.h"
#include "preload/signals.h"

namespace weft::preload {

void start_catcher() noexcept;
std::uint32_t id_of_catcher() noexcept;
void wake_catcher() noexcept;

// A fiber has something to handle. If it computes, the catcher interrupts its carrier until it has.
void kick_by_catcher() noexcept;

// A thread of the program's that does not block the signal: the first one, if it does not.
fiber::Fiber* who_takes(int signal) noexcept;

// Those of these signals that were left to the kernel as nobody wanted them. The caller does, and
// wakes the catcher when it has had them.
SignalBits claim_withheld(SignalBits signals) noexcept;

// In the child of a fork there is none.
void forget_catcher() noexcept;

}  // namespace weft::preload
