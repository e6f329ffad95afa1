// SPDX-License-Identifier: Apache-2.0
// Fuzzed: cpu.stat, cpu.max.burst, and the counters of memory.stat and meminfo.
#include "budget/cgroup_values.h"

#include "property.h"

namespace weft::fuzz {

void try_input(std::string_view text) {
  if (const auto stat = budget::parse_cpu_stat(text)) {
    require(stat->throttled.count() >= 0 && stat->burst.count() >= 0,
            "time does not run backwards");
  }
  if (const auto burst = budget::parse_burst(text)) require(burst->count() >= 0, "nor do bursts");
  budget::find_counter(text, "hierarchical_memory_limit");
  budget::find_counter(text, "MemTotal");
}

}  // namespace weft::fuzz
