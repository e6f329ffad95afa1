// SPDX-License-Identifier: Apache-2.0
// A thread from its creation to its join: home is made, the fiber leaves it, and returns for the
// end.
#pragma once

#include <pthread.h>

#include <type_traits>

#include "fiber/fiber.h"
#include "sched/runtime.h"

namespace weft::sched {

// What somebody who may join a thread holds of it.
struct Thread;

// Makes a thread of libc's, whose function runs as a fiber of the runtime. Answers 0 and the
// thread (nullptr where the attributes say that it is detached) and its handle, or an error as
// pthread_create does.
int spawn(Runtime& runtime, const pthread_attr_t* attributes, void* (*function)(void*),
          void* argument, Thread** thread, pthread_t* home = nullptr);

// Makes the calling thread, which libc or the kernel made, a fiber of the runtime.
void adopt(Runtime& runtime) noexcept;

// The thread that libc knows by this handle; nullptr: spawn() has not made it. The handle must be
// valid, as for any function of libc's.
Thread* thread_of(pthread_t home) noexcept;

// Waits for the thread's end, thread-local destructors included, and gives what its function
// returned. The thread is gone after that. Otherwise answers EINVAL (detached, or another joins),
// EDEADLK, ETIMEDOUT, EINTR, and it can be joined again.
struct JoinOptions {
  os::Instant deadline = os::never;
  bool interruptible = false;  // see interrupt.h
};
int join(Thread* thread, void** result, const JoinOptions& options = {});

// Nobody will join it. EINVAL: it was detached already.
int detach(Thread* thread);

// Whether nothing but its end is left of it.
bool is_over(const Thread& thread) noexcept;

// The libc thread that is home.
pthread_t home_of(const Thread& thread);

// Moves the calling fiber to its home, unless it is there. What it does from then on is what any
// thread does. `site` is for the statistics: a constant text.
void go_home(const char* site) noexcept;

// Makes the calling fiber, which is at home, ready to be run by a worker. A thread that never
// leaves home returns at once.
void leave_home() noexcept;

// How a thread begins. Where a worker sleeps for want of work, the thread borrows its place and
// runs at home, as if it were there: short threads never need a worker. It leaves home when it
// first has to wait, or to let others go first. Otherwise it leaves at once.
void begin() noexcept;

// Whether the calling fiber is to be treated as if a worker ran it: one does, or it runs at home in
// place of one.
inline bool counts_as_away(const fiber::Fiber& self) noexcept {
  return !self.is_home() || self.is_leaving();
}

// Before something that only a carrier can do: leaves home if the fiber runs there on a loan.
// Answers whether it is away now.
bool be_away(fiber::Fiber& self) noexcept;

// Does something at home, and comes back if the fiber was away before.
template <class Function>
auto at_home(const char* site, Function function) {
  const bool was_away = counts_as_away(fiber::self());
  if (was_away) go_home(site);
  // Not by a destructor: a thread that is cancelled in there stays at home for its end.
  if constexpr (std::is_void_v<decltype(function())>) {
    function();
    if (was_away) leave_home();
  } else {
    const auto result = function();
    if (was_away) leave_home();
    return result;
  }
}

}  // namespace weft::sched
