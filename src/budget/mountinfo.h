// SPDX-License-Identifier: Apache-2.0
// /proc/PID/mountinfo: where the cgroup hierarchies can be seen, if at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::budget {

// A mount of a cgroup hierarchy that a path can reach.
struct CgroupMount {
  int version = 1;            // 1 or 2
  std::string root;           // which cgroup is seen at the mount point; "/" is all of it
  std::string mount_point;    // as a path of this mount namespace
  std::string super_options;  // v1: names the controllers
};

// The cgroup and cgroup2 mounts, in order, without those that another mount hides. Lines that make
// no sense are passed over.
std::vector<CgroupMount> parse_mountinfo(std::string_view text);

// The kernel writes white space, '#' and '\' in a name as three octal digits: "\040" is a space.
std::string unescape_octal(std::string_view escaped);

}  // namespace weft::budget
