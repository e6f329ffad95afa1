// SPDX-License-Identifier: Apache-2.0
// Fuzzed: memory.max, memory.high and memory.limit_in_bytes.
#include <cmath>

#include "budget/cgroup_values.h"

#include "property.h"

namespace weft::fuzz {

void try_input(std::string_view text) {
  const auto limit = budget::parse_memory_limit(text);
  if (limit && *limit) {
    require(**limit >= 0 && **limit < 4611686018427387904.0, "bytes fit into an integer");
  }
}

}  // namespace weft::fuzz
