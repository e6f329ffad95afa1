// SPDX-License-Identifier: Apache-2.0
// Signals: what the kernel does for threads, done for fibers.
//
// Kernel threads that carry fibers, and homes asleep, block all signals but those of their own
// faults. So the kernel gives a signal for the process to the one thread that blocks none, the
// catcher, which is ours. It looks for a thread of the program's that does not block the signal,
// and posts it there. If all block it, the signal goes back to the process, and the catcher blocks
// it, too, until somebody does not any more: so it is pending, and sigwait() and signalfd find it.
//
// A signal that is posted to a fiber
//   posted  --the fiber waits-->               it is woken, runs the handler, and goes on or fails
//   posted  --the fiber is about to wait-->    the same
//   posted  --home has the program's mask-->   the kernel is told, and interrupts the call
// Handlers run on the fiber's stack, with its thread-local storage, by whichever kernel thread.
//
// The kernel's handler of every signal that the program handles is ours, on_signal().
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

// As sigaction(2); keeps the program's action, and gives the kernel ours.
int set_action(int signal, const struct sigaction* action, struct sigaction* before) noexcept;

// What the kernel does to a process without a handler: it does it, here and now.
void take_default_action(int signal) noexcept;

// Whether the program has a handler for it.
bool has_handler(int signal) noexcept;

// Sends a signal to one thread. Answers 0 or an error, as pthread_kill does.
int send_to(fiber::Fiber& fiber, int signal, const siginfo_t& info) noexcept;

// A signal that the calling thread raises itself: its handler has run when this returns, unless it
// is blocked.
void raise_here(int signal, const siginfo_t& info) noexcept;

// The calling thread has written to what nobody reads any more.
void raise_broken_pipe() noexcept;

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
// signal itself is taken with take_pending(), if it has not been handled.
bool is_told_by_us(const siginfo_t& info) noexcept;

// The calling thread's mask has changed: what was pending may run now.
void mask_changed(SignalBits before) noexcept;

// Starts the thread that catches what is for the process.
void start_catcher() noexcept;

// In the child of a fork there is none, and nothing is pending.
void forget_signals() noexcept;

}  // namespace weft::preload
