// SPDX-License-Identifier: Apache-2.0
// Fuzzed: From /proc/PID/cgroup and /proc/PID/mountinfo, with a NUL between them, to directories.
#include "base/text.h"
#include "budget/cgroup_location.h"

#include "property.h"

namespace weft::fuzz {

void try_input(std::string_view text) {
  const auto memberships = budget::parse_proc_cgroup(base::take_until(text, 0));
  const auto mounts = budget::parse_mountinfo(text);
  for (const auto& location : {budget::locate_controller(memberships, mounts, "cpu"),
                               budget::locate_controller(memberships, mounts, "memory"),
                               budget::locate_unified(memberships, mounts)}) {
    require((location.version == 0) == location.levels.empty(), "levels where there is a version");
    require(location.version != 0 || !location.problem.empty(), "or a reason why there is none");
  }
}

}  // namespace weft::fuzz
