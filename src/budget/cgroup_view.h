// SPDX-License-Identifier: Apache-2.0
// The cgroups of the process, as far as /proc tells, and the directories that limit it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weft/budget.h>

#include "budget/cgroup_location.h"
#include "budget/host.h"

namespace weft::budget {

// What a changed budget would show up in. Paths are those of the host.
struct Footprint {
  std::vector<std::string> directories;  // the cgroups whose limits count; may repeat
  std::vector<std::string> files;        // in them, also those that are not there but could be
};

struct CgroupView {
  std::vector<Membership> memberships;
  std::vector<CgroupMount> mounts;
  bool in_namespace = false;  // our cgroup namespace is not the initial one: we do not see the top
  // What kept us from looking: a candidate that is absent or unreadable, without a source.
  std::optional<Candidate> obstacle;
};

CgroupView view_cgroups(const Host& host);

// A cgroup that limits us.
struct Level {
  std::string directory;
  bool can_change = true;  // false at the hierarchy's root, which has no limits
};

struct Levels {
  int version = 0;            // 0: none are to be found
  std::vector<Level> levels;  // our own cgroup first
  bool sees_all = false;      // no cgroup above us is hidden by a namespace or a mount
  std::vector<std::string> notes;
  std::optional<Candidate> obstacle;  // why we could not look where the limits are; no source
};

// The levels of a controller ("cpu", "memory"); those that can change enter the footprint.
Levels find_levels(const Host& host, const CgroupView& view, std::string_view controller,
                   Footprint& footprint);

}  // namespace weft::budget
