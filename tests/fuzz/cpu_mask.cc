// SPDX-License-Identifier: Apache-2.0
// Fuzzed: Cpus_allowed of /proc/PID/status.
#include "budget/cpu_mask.h"

#include "property.h"

namespace weft::fuzz {

void try_input(std::string_view text) {
  const auto mask = budget::parse_cpu_mask(text);
  if (!mask) return;
  require(!mask->empty() && mask->size() <= (1U << 20), "a mask has a sane size");
  require(budget::count_common(*mask, {}) <= mask->size(), "no more CPUs than bits");
  require(budget::count_common(*mask, *mask) == budget::count_common(*mask, {}),
          "common with itself");
}

}  // namespace weft::fuzz
