// SPDX-License-Identifier: Apache-2.0
// Where on this host a cgroup with a CPU quota can be made.
//
// v1: below our own cgroup. v2 hands a controller only to the children of a cgroup that has no
// processes of its own ("no internal processes"), and our own cgroup has at least this one; so the
// group is made below the nearest cgroup above us that hands on `cpu` already, or below the
// hierarchy's root, where the rule does not hold and `cpu` can be handed on for the time being.
// Rejected: moving the processes of our own cgroup out of the way, since they are not ours.
#pragma once

#include <string>

#include "base/result.h"
#include "budget/cgroup_location.h"

namespace weft::sandbox {

struct Place {
  std::string parent;         // the directory to make the group in
  std::string origin;         // our own cgroup, where a process goes when it leaves the group
  int version = 1;            // of the hierarchy: 1 or 2
  bool must_hand_on = false;  // v2: `cpu` is to be written to the parent's cgroup.subtree_control
};

// The place for this process. The Error says why there is none and what would allow it.
base::Result<Place> find_place();

// The same for a location; reads only files below its levels.
base::Result<Place> choose_place(const budget::CgroupLocation& location);

// What would allow it, as the last clause of an Error.
extern const char* const how_to_allow;

}  // namespace weft::sandbox
