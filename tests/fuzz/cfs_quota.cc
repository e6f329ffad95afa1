// SPDX-License-Identifier: Apache-2.0
// Fuzzed: cpu.cfs_quota_us and cpu.cfs_period_us of cgroup v1, with a NUL between them.
#include <cmath>

#include "base/text.h"
#include "budget/cgroup_values.h"

#include "property.h"

namespace weft::fuzz {

void try_input(std::string_view text) {
  const std::string_view quota = base::take_until(text, 0);
  const auto limit = budget::parse_cfs_quota(quota, text);
  if (limit && *limit)
    require(**limit > 0 && std::isfinite(**limit), "a quota is a number above 0");
}

}  // namespace weft::fuzz
