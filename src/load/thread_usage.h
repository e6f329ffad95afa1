// SPDX-License-Identifier: Apache-2.0
// What a thread of the generator has used, and how it is set up: pinned, with precise timers.
#pragma once

#include <chrono>

#include "base/result.h"
#include "load/self_check.h"

namespace weft::load {

// CPU of the calling thread so far.
nanoseconds thread_cpu() noexcept;
// How long the calling thread was ready and not running; zero where the kernel does not count it.
nanoseconds thread_waited();

// Whether a thread of ours may run on this CPU.
base::Status check_cpu(int cpu);
// Of the calling thread: the CPU (-1: any), no SIGPIPE, timers that are not rounded up.
void set_up_thread(int cpu) noexcept;

}  // namespace weft::load
