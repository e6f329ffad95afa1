// SPDX-License-Identifier: Apache-2.0
// The CPUs that a thread may run on, as the program is told.
//
// Whoever has not been bound to other CPUs than the process had at its start is told of as many of
// them as the budget allows. Who has been bound, by the program or from outside, is told the truth.
#pragma once

#include <sched.h>

#include <cstddef>

namespace weft::preload {

// The program binds one of its threads.
void note_binding() noexcept;
// Whether it ever did. What such a thread is bound to, only its home knows.
bool program_binds_threads() noexcept;

// Leaves the first `count` CPUs of a set that is the one the process began with.
void narrow_to(unsigned count, std::size_t bytes, cpu_set_t* set) noexcept;

}  // namespace weft::preload
