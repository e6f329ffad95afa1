// SPDX-License-Identifier: Apache-2.0
// ThreadState: what the program believes of one of its threads, and the kernel does not know.
//
// The signal mask that the program believes in is in the thread's record (fiber.h), since others
// look at it.
#pragma once

#include <csignal>
#include <cstdint>

#include "preload/signals.h"

namespace weft::preload {

struct ThreadState {
  bool mask_is_ours = false;    // the kernel's mask is not the program's, but blocks everything
  bool cancel_pending = false;  // somebody wants its end, and it does not allow that now
  atomic<bool> cancel_requested{false};  // by another thread, perhaps before it had a record
  bool cancel_at_once = false;           // asynchronous: it stays at home
  bool stays_home = false;               // for good: with the program's mask in the kernel
  bool home_lacks_stack = false;         // the kernel has not heard of alternate_stack
  bool waits_with_mask = false;          // that of ppoll() and the like, and has another after it
  SignalBits mask_after_wait = 0;
  std::uint32_t handlers_run = 0;
  SignalBits mask_of_home = 0;   // the kernel's, before it stayed there
  SignalBits told_too_late = 0;  // home may have copies of signals that were handled elsewhere
  stack_t alternate_stack{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
};

inline thread_local constinit ThreadState thread_state __attribute__((tls_model("initial-exec"))){};

// What the program has blocked in the calling thread.
SignalBits program_mask() noexcept;

// The kernel gets its own mask for the calling thread, and the program's is remembered.
void keep_program_mask() noexcept;

// In between the kernel has the program's mask for the calling thread, which is at home. No guard
// with a destructor: whoever is cancelled there ends with the program's mask.
SignalBits open_to_signals() noexcept;
void close_to_signals(SignalBits before) noexcept;

// Moves the calling thread home for good, where it is what it is natively. Where it is at home
// already for a call, that call's end would move it away: then it does nothing.
void stay_home(const char* site) noexcept;
// After all it may leave.
void leave_home_again() noexcept;

// Writes what the program has blocked in the calling thread.
void set_blocked(fiber::Fiber& self, SignalBits mask) noexcept;

// The program has another mask for one call, which gives it to the kernel. Answers the one before.
SignalBits exchange_program_mask(SignalBits mask) noexcept;

}  // namespace weft::preload
