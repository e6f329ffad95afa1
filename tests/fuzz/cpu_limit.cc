// SPDX-License-Identifier: Apache-2.0
// Fuzzed: CPU_LIMIT.
#include "budget/cpu_limit.h"

#include "property.h"

namespace weft::fuzz {

void try_input(std::string_view text) {
  const auto cores = budget::parse_cpu_limit(text);
  if (cores) {
    require(*cores > 0 && *cores <= 1e6, "cores are above 0 and at most a million");
  } else {
    require(!cores.error().message.empty(), "a refusal says why");
    require(cores.error().message.find(char{10}) == std::string::npos, "on one line");
  }
}

}  // namespace weft::fuzz
