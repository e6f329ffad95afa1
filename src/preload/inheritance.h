// SPDX-License-Identifier: Apache-2.0
// What the kernel gives a new thread of the one that makes it: name, CPUs, priority, timer slack.
//
// Of threads that are fibers only their homes have these. As long as the program has changed none,
// homes are made by carriers, and named after the process; from then on they are made at home.
#pragma once

namespace weft::preload {

// The program changes one of these for a thread.
void note_own_attributes() noexcept;
bool threads_have_own_attributes() noexcept;

// Learns the name of the calling thread, whose process this is.
void note_name_of_process() noexcept;
// In a new home.
void name_home() noexcept;

}  // namespace weft::preload
