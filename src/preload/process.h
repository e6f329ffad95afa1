// SPDX-License-Identifier: Apache-2.0
// The process: its runtime, from the first thread on.
#pragma once

#include "sched/runtime.h"

namespace weft::preload {

// nullptr: the program has made no thread yet.
sched::Runtime* runtime() noexcept;

// The same, started where there is none; the caller becomes a fiber of it.
sched::Runtime& start_runtime() noexcept;

// The initial thread has called pthread_exit(): the process ends when all others have. libc counts
// our own threads among them, and would wait for ever.
void initial_thread_ends() noexcept;

// In the child of a fork there is no runtime, until it makes a thread.
void forget_runtime() noexcept;

// Whether this process is a child that a program under weft has made.
bool is_forked() noexcept;

// The CPUs that the program is told of.
unsigned cpu_count() noexcept;

// Opens what --report names, while the program has the rights that it began with.
void open_report() noexcept;
// At the end of the process: what --stats shows, and --report writes.
void print_statistics() noexcept;

}  // namespace weft::preload
