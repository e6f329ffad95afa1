// SPDX-License-Identifier: Apache-2.0
// A thread from its creation to its join: home is made, the fiber leaves it, and returns for the
// end.
#pragma once

#include <pthread.h>

#include "fiber/fiber.h"
#include "sched/runtime.h"

namespace weft::sched {

// What somebody who may join a thread holds of it.
struct Thread;

// Makes a thread of libc's, whose function runs as a fiber of the runtime. Answers 0 and the
// thread, or an error as pthread_create does.
int spawn(Runtime& runtime, const pthread_attr_t* attributes, void* (*function)(void*),
          void* argument, Thread** thread);

// Waits for the thread's end, thread-local destructors included, and gives what its function
// returned. The thread is gone after that.
int join(Thread* thread, void** result);

// Nobody will join it.
void detach(Thread* thread);

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
  struct Return {
    bool away;
    ~Return() {
      if (away) leave_home();
    }
  } const comes_back{was_away};
  return function();
}

}  // namespace weft::sched
