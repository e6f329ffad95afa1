// SPDX-License-Identifier: Apache-2.0
// What a fiber does when somebody wants something of it: cancellation, signals.
#pragma once

#include <cstdint>

#include "fiber/fiber.h"

namespace weft::preload {

// Bits of Fiber::interrupts.
struct Interrupt {
  static constexpr std::uint32_t cancel = 1;
  static constexpr std::uint32_t signal = 2;
  // A handler has run, at home, and the wait shall fail.
  static constexpr std::uint32_t handled = 4;
};

enum class AfterInterrupt : std::uint8_t {
  again,    // nothing was to be done: no call ends for that
  restart,  // the handlers say SA_RESTART: what may go on, does
  fail,
};

// The call was interrupted: does what is wanted, and says what becomes of the call.
AfterInterrupt act_on_interrupts();

// The same for what is no cancellation point: a cancellation that is wanted stays so. `bits` says
// what was.
AfterInterrupt act_on_signals(std::uint32_t& bits) noexcept;

void cancel_here();

// At a cancellation point, before it waits.
inline void act_on_cancellation() {
  const fiber::Fiber* const self = fiber::this_fiber;
  if (self != nullptr &&
      (self->interrupts.load(std::memory_order_relaxed) & Interrupt::cancel) != 0) [[unlikely]] {
    cancel_here();
  }
}

}  // namespace weft::preload
