// SPDX-License-Identifier: Apache-2.0
// From memberships and mounts to directories: where are the limits of our cgroup, and of every
// cgroup above it, to be read? Pure: takes what was parsed, opens nothing.
//
// A mount shows the hierarchy from its root downwards, and the root need not be "/": a container
// sees its own cgroup, or a part of the host's tree, at the mount point. So our path is taken
// relative to that root, and each directory from there up to the mount point is a level.
// Rejected: guessing paths below /sys/fs/cgroup, which is wrong on hybrid hosts, for bind mounts
// and for every mount that is elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "budget/mountinfo.h"
#include "budget/proc_cgroup.h"

namespace weft::budget {

struct CgroupLocation {
  int version = 0;                  // 1 or 2; 0: not to be found
  std::vector<std::string> levels;  // directories, our own cgroup first, the mount point last
  bool reaches_root = false;        // the last level is the hierarchy's root as we can name it
  std::string path;                 // our cgroup as /proc/PID/cgroup names it
  bool outside = false;             // that leads out of our cgroup namespace: no levels
  bool guessed = false;             // no mount shows our cgroup: the level is the top of one
  std::string problem;              // what kept us from looking where the limits are; or empty
  std::string problem_where;        // the file that made it a problem, without "/proc/PID/"
  std::vector<std::string> notes;   // what a person should know
};

// Where the controller ("cpu", "memory") limits us: v1 where it is mounted, else v2.
CgroupLocation locate_controller(const std::vector<Membership>& memberships,
                                 const std::vector<CgroupMount>& mounts,
                                 std::string_view controller);

// Our cgroup in the v2 hierarchy, where pressure is told, also on hybrid hosts.
CgroupLocation locate_unified(const std::vector<Membership>& memberships,
                              const std::vector<CgroupMount>& mounts);

}  // namespace weft::budget
