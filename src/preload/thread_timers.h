// SPDX-License-Identifier: Apache-2.0
// Timers that signal one thread (SIGEV_THREAD_ID), whose kernel thread is a home asleep.
//
// The kernel's timer sends our own signal to the catcher instead, with the timer's record as its
// value; the catcher posts what the program wanted. While that is pending further expirations are
// counted, and timer_getoverrun() tells them.
#pragma once

#include <csignal>
#include <ctime>

#include "fiber/fiber.h"

namespace weft::preload {

// As timer_create(2), for an event whose thread is this one. Answers 0 or -1 and errno.
int create_timer(clockid_t clock, const sigevent& event, fiber::Fiber& fiber,
                 timer_t* timer) noexcept;

// The timer is gone.
void forget_timer(timer_t timer) noexcept;
// In the child of a fork there are none.
void forget_timers() noexcept;

// How often it has expired since the signal that was handled last was sent; -1: not one of these.
int overruns_of(timer_t timer) noexcept;

// In the catcher.
void timer_expired(const siginfo_t& info) noexcept;

// The signal is about to be handled.
void note_delivery(const siginfo_t& info) noexcept;

}  // namespace weft::preload
