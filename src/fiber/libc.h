// SPDX-License-Identifier: Apache-2.0
// What only libc can do for us: make kernel threads that have an identity, and wait for their end.
//
// The engine runs below a library that interposes these names. It asks the loader for the next
// definition after its own instead of naming them, so that it gets libc's, or a sanitizer's.
#pragma once

#include <pthread.h>

#include "fiber/fiber.h"
#include "os/signal_mask.h"

namespace weft::fiber {

struct Libc {
  decltype(&::pthread_create) create;
  decltype(&::pthread_join) join;
  decltype(&::pthread_tryjoin_np) try_join;
  decltype(&::pthread_detach) detach;
};

// Resolved on first use. Aborts where one of them is missing.
const Libc& libc() noexcept;

// Makes a kernel thread that is the engine's: no signal of the program's comes there. Answers 0 or
// an errno.
inline int create_undisturbed(pthread_t& handle, void* (*function)(void*),
                              void* argument) noexcept {
  const os::SignalMask none_for_the_new_thread;
  return libc().create(&handle, nullptr, function, argument);
}

// Where another thread has the thread-local variable that the caller has at `mine`: a handle names
// the place where that thread's pointer points. Holds for variables of the initial-exec model.
// nullptr: not to be found.
void* variable_of(pthread_t thread, void* mine) noexcept;

bool finds_variables() noexcept;

// Such a variable, which is a pointer; in the order of release and acquire. Sanitizers do not look:
// they take a new thread's storage for written when it begins, which its creator does not know of.
void store_variable(void* where, void* value) noexcept;
void* load_variable(const void* where) noexcept;

// Calls the function at the end of the calling thread, however it ends, at home. Not by unwinding:
// libc's unwinder and ours may be different ones.
void at_thread_end(void (*function)(void*), void* argument) noexcept;

// The record of another thread, whose handle is valid; nullptr: it has none yet.
inline Fiber* fiber_of(pthread_t thread) noexcept {
  void* const theirs = variable_of(thread, &this_fiber);
  return theirs == nullptr ? nullptr : static_cast<Fiber*>(load_variable(theirs));
}

}  // namespace weft::fiber
