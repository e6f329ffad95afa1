// SPDX-License-Identifier: Apache-2.0
// Fuzzed: cpu.max of cgroup v2.
#include <cmath>

#include "budget/cgroup_values.h"

#include "property.h"

namespace weft::fuzz {

void try_input(std::string_view text) {
  const auto limit = budget::parse_cpu_max(text);
  if (limit && *limit)
    require(**limit > 0 && std::isfinite(**limit), "a quota is a number above 0");
}

}  // namespace weft::fuzz
