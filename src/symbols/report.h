// SPDX-License-Identifier: Apache-2.0
// What the engine records as numbers, in words: where carriers got stuck.
#pragma once

#include <string>

#include "sched/stuck_calls.h"
#include "symbols/symbolizer.h"

namespace weft::symbols {

// One line for the place, and one for each frame below it, the innermost first:
//   read(2) called from wait_for_data(int) at server.cc:57, 3 times
//     __read in libc.so.6+0xf82ec
//     wait_for_data(int) at server.cc:57
// The symbolizer is that of the process in which it was recorded.
std::string describe(const sched::StuckCalls::Entry& entry, Symbolizer& symbolizer);

}  // namespace weft::symbols
