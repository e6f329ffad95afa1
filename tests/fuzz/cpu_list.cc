// SPDX-License-Identifier: Apache-2.0
// Fuzzed: Lists of CPUs such as /sys/devices/system/cpu/online.
#include "budget/cpu_mask.h"

#include "property.h"

namespace weft::fuzz {

void try_input(std::string_view text) {
  const auto mask = budget::parse_cpu_list(text);
  if (!mask) return;
  require(!mask->empty() && mask->size() <= (1U << 20), "a list has a sane size");
  require(budget::count_common(*mask, {}) > 0, "a list names a CPU");
}

}  // namespace weft::fuzz
