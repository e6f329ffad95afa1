// SPDX-License-Identifier: Apache-2.0
// Fuzzed: /proc/PID/cgroup.
#include "budget/proc_cgroup.h"

#include "property.h"

namespace weft::fuzz {

void try_input(std::string_view text) {
  for (const auto& membership : budget::parse_proc_cgroup(text)) {
    require(membership.path.starts_with("/"), "a path is absolute");
    require(membership.path.find(char{10}) == std::string::npos, "a path is on one line");
    budget::list_has(membership.controllers, "cpu");
  }
}

}  // namespace weft::fuzz
