// SPDX-License-Identifier: Apache-2.0
// /proc/PID/cgroup: in which cgroup of each hierarchy a process is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::budget {

// A line "hierarchy:controllers:path".
struct Membership {
  unsigned hierarchy = 0;
  std::string controllers;  // "cpu,cpuacct"; "name=systemd"; empty on v2
  std::string path;         // as seen from the reader's cgroup namespace; may hold colons
  bool removed = false;     // the cgroup is known to be gone, and the mark was taken off the path

  // The one hierarchy of cgroup v2.
  bool unified() const noexcept { return hierarchy == 0 && controllers.empty(); }
};

// The lines that make sense, in order; the others are passed over.
std::vector<Membership> parse_proc_cgroup(std::string_view text);

// What the kernel puts behind the path of a cgroup that was removed while the process was in it. A
// name may also just end like this, so whoever can look must decide.
inline constexpr std::string_view removed_mark = " (deleted)";

// Whether `name` is one of the names in a list such as "cpu,cpuacct"; exactly, so that "cpu" is not
// found in "cpuset".
bool list_has(std::string_view comma_separated, std::string_view name) noexcept;

}  // namespace weft::budget
