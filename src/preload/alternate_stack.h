// SPDX-License-Identifier: Apache-2.0
// The alternate stack of a thread (sigaltstack), which the kernel has for kernel threads only.
//
// What the program says is kept in ThreadState. Handlers that we call (signals.h) are called on it
// by us. The kernel knows it where the thread is at home: from the next time on that home is open
// to signals. A carrier has a stack of its own, for faults alone: the kernel's handler comes there,
// also where the fiber has none left, and moves on to the fiber's, so that no other fiber finds it
// taken.
#pragma once

#include <ucontext.h>

#include <csignal>
#include <cstdint>

namespace weft::preload {

// As sigaltstack(2), for a thread whose mask is ours; 0 or minus errno.
long change_alternate_stack(const stack_t* stack, stack_t* before) noexcept;

// The calling thread becomes a fiber: what the kernel has is the program's.
void keep_alternate_stack() noexcept;

// At home, before the kernel may call a handler there.
void give_alternate_stack_to_kernel() noexcept;

// Calls it, on the alternate stack where the flags of the action say so and there is one.
void call_on_alternate_stack(int action_flags, void (*function)(void*), void* argument) noexcept;

// In the kernel's handler, on a carrier. Calls the function where the kernel would have called the
// program's handler natively, with the carrier's own mask, and perhaps does not return: the fiber
// goes on from what is left in the context.
using FaultHandler = void (*)(int signal, siginfo_t& info, ucontext_t& context);
void handle_fault_of_fiber(int signal, int action_flags, siginfo_t& info, ucontext_t& context,
                           FaultHandler handler) noexcept;

// After a handler of ours: the kernel thread that goes on may be another than the one that was
// interrupted. It keeps its own stack, and has the mask that was interrupted; at home for good, the
// program's.
void keep_to_kernel_thread(ucontext_t& context, std::uint64_t mask_before) noexcept;

// Calls it with a stack for faults of the calling kernel thread, which is a carrier.
void with_stack_for_faults(void (*function)(void*), void* argument) noexcept;

}  // namespace weft::preload
