// SPDX-License-Identifier: Apache-2.0
// /proc/PID/cgroup: in which cgroup of each hierarchy a process is.
#include "budget/proc_cgroup.h"

#include "base/text.h"

namespace weft::budget {

std::vector<Membership> parse_proc_cgroup(std::string_view text) {
  std::vector<Membership> memberships;
  while (!text.empty()) {
    std::string_view path = base::take_until(text, '\n');
    const auto hierarchy = base::to_number<unsigned>(base::take_until(path, ':'));
    const std::string_view controllers = base::take_until(path, ':');
    if (!hierarchy || path.empty() || path.front() != '/') continue;
    memberships.push_back({*hierarchy, std::string(controllers), std::string(path), false});
  }
  return memberships;
}

bool list_has(std::string_view comma_separated, std::string_view name) noexcept {
  while (!comma_separated.empty()) {
    if (base::take_until(comma_separated, ',') == name) return true;
  }
  return false;
}

}  // namespace weft::budget
