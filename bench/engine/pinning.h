// SPDX-License-Identifier: Apache-2.0
// On which CPUs the calling thread runs, and those that it makes.
#pragma once

namespace weft::engine {

// The first `count` of the CPUs that the process may use. Ends the process where there are fewer.
void pin_to_first(unsigned count);

// The one with that number, of those that the process was started with.
void pin_to(unsigned index);

}  // namespace weft::engine
