// SPDX-License-Identifier: Apache-2.0
// Signals: what the kernel does for threads, done for fibers.
//
// Kernel threads that carry fibers, and homes asleep, block all signals but those of their own
// faults. So a signal for the process is pending, and the catcher (signal_catcher.h) hears of it.
// It looks for a thread of the program's that does not block the signal; only where there is one
// does it take the signal, and posts it there. If all block it the signal is withheld: it stays the
// kernel's, with all that it carries, where sigwait() and signalfd find it, until somebody unblocks
// it.
//
// A signal that is posted to a fiber
//   posted  --the fiber waits-->               it is woken, runs the handler, and goes on or fails
//   posted  --the fiber is about to wait-->    the same
//   posted  --home has the program's mask-->   the kernel is told, and interrupts the call
//   posted  --the fiber computes-->            its carrier is interrupted, unless in code of ours
// Handlers run on the fiber's stack, with its thread-local storage, by whichever kernel thread.
//
// The kernel's handler of every signal that the program handles is ours, on_signal(); what the
// program has said is in signal_actions.h.
#pragma once

#include <csignal>
#include <cstdint>
#include <cstring>

#include "fiber/fiber.h"

namespace weft::preload {

using SignalBits = std::uint64_t;
constexpr SignalBits bit_of(int signal) noexcept {
  return SignalBits{1} << (signal - 1);
}
// libc's set is longer than the kernel's, whose bits come first.
inline SignalBits bits_of(const sigset_t& set) noexcept {
  SignalBits bits = 0;
  std::memcpy(&bits, &set, sizeof(bits));
  return bits;
}
inline bool is_signal(int signal) noexcept {
  return signal >= 1 && signal <= 64;
}

// The kernel's handler of everything that the program handles. A handler may throw.
void on_signal(int signal, siginfo_t* info, void* context);

// Takes a signal of this number from the kernel, if there is one for the caller or the process.
bool take_from_kernel(int signal, siginfo_t& info) noexcept;

// The record of the thread that the kernel knows by this id, or libc by this handle; nullptr: it is
// none of ours. One that has not begun is waited for.
fiber::Fiber* fiber_by_id(int id) noexcept;
fiber::Fiber* fiber_of_thread(pthread_t thread) noexcept;

// Sends a signal to one thread. Answers 0 or an error, as pthread_kill does.
int send_to(fiber::Fiber& fiber, int signal, const siginfo_t& info) noexcept;

// The same; what has no handler and is not blocked has its default action at once.
int send_or_act(fiber::Fiber& fiber, int signal, const siginfo_t& info) noexcept;

// A signal that the calling thread raises itself: its handler has run when this returns, unless it
// is blocked.
void raise_here(int signal, const siginfo_t& info) noexcept;

// The calling thread has written to what nobody reads any more.
void raise_broken_pipe() noexcept;

// The calling thread begins, with this mask.
void begin_thread(SignalBits mask) noexcept;

// Sees to it that the thread, which may compute or wait, goes home for good.
void summon_home(fiber::Fiber& fiber) noexcept;

// There is a signalfd for these. What is sent to one thread then, and all block, is the process's.
void note_signalfd(SignalBits signals) noexcept;

// What pthread_kill says of the sender.
siginfo_t info_of_thread_signal(int signal) noexcept;

// Runs the handlers of what was sent to the calling thread and is not blocked.
struct Handled {
  bool any = false;
  bool goes_on = true;  // otherwise a call that was interrupted for it fails with EINTR
};
Handled run_handlers() noexcept;

// Takes one of these that was sent to the calling thread, as sigwait() does.
bool take_pending(SignalBits wanted, siginfo_t& info) noexcept;

// Whether this is how the kernel was told of a signal that was sent to a thread at home: the
// signal itself is taken with take_told(), if it has not been handled.
bool is_told_by_us(const siginfo_t& info) noexcept;
bool take_told(int signal, siginfo_t& info) noexcept;

// At home: what the kernel was told of and was handled elsewhere is taken from it.
void forget_told_too_late() noexcept;

// The calling thread's mask has changed: what was pending may run now.
void mask_changed(SignalBits before) noexcept;

// In the child of a fork nothing is pending.
void forget_signals() noexcept;

}  // namespace weft::preload
