// SPDX-License-Identifier: Apache-2.0
// libc's own functions, behind ours: real(&Real::read)(fd, buffer, bytes).
//
// Each is looked up on first use, as the next definition after this library: a sanitizer's or
// another preloaded library's, and in the end libc's.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "base/atomic.h"

namespace weft::preload {

// A constant of each name, for look-ups.
enum class Symbol : unsigned {
#define WEFT_SYMBOL(name, family, treatment, how) name,
#include "preload/symbols.def"
#undef WEFT_SYMBOL
  count
};

// The address of the next definition; aborts where there is none.
void* next_definition(Symbol symbol) noexcept;

template <Symbol symbol, class Function>
Function* real_function() noexcept {
  return reinterpret_cast<Function*>(next_definition(symbol));
}

}  // namespace weft::preload

// libc's function of this name.
#define WEFT_REAL(name) \
  (::weft::preload::real_function<::weft::preload::Symbol::name, decltype(::name)>())
