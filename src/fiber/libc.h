// SPDX-License-Identifier: Apache-2.0
// What only libc can do for us: make kernel threads that have an identity, and wait for their end.
//
// The engine runs below a library that interposes these names. It asks the loader for the next
// definition after its own instead of naming them, so that it gets libc's, or a sanitizer's.
#pragma once

#include <pthread.h>

namespace weft::fiber {

struct Libc {
  decltype(&::pthread_create) create;
  decltype(&::pthread_join) join;
  decltype(&::pthread_tryjoin_np) try_join;
  decltype(&::pthread_detach) detach;
};

// Resolved on first use. Aborts where one of them is missing.
const Libc& libc() noexcept;

}  // namespace weft::fiber
