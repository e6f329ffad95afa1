// SPDX-License-Identifier: Apache-2.0
// Where on this host a cgroup with a CPU quota can be made.
#include "sandbox/place.h"

#include <unistd.h>

#include <string_view>

#include "base/text.h"
#include "budget/mountinfo.h"
#include "budget/proc_cgroup.h"
#include "os/file.h"

namespace weft::sandbox {
namespace {

// Whether a file of names separated by white space has this one.
bool file_has(const std::string& path, std::string_view name) {
  const auto text = os::read_text(path);
  if (!text) return false;
  std::string_view rest = *text;
  while (true) {
    const std::string_view field = base::take_field(rest);
    if (field.empty()) return false;
    if (field == name) return true;
  }
}

// Every v2 cgroup has a type but the root of the hierarchy.
bool is_hierarchy_root(const std::string& directory) {
  return ::access((directory + "/cgroup.procs").c_str(), F_OK) == 0 &&
         ::access((directory + "/cgroup.type").c_str(), F_OK) != 0;
}

}  // namespace

const char* const how_to_allow =
    "to allow it, run as root with the cgroup hierarchy mounted read-write (in a container: "
    "privileged, in the host's cgroup namespace)";

base::Result<Place> choose_place(const budget::CgroupLocation& location) {
  if (location.version == 0 || location.levels.empty()) {
    return base::Error{
        "no cgroup with a CPU quota can be made here: " + location.problem + "; " + how_to_allow,
        0};
  }
  const std::string& own = location.levels.front();
  if (location.version == 1) return Place{own, own, 1, false};

  for (const std::string& level : location.levels) {
    if (file_has(level + "/cgroup.subtree_control", "cpu")) return Place{level, own, 2, false};
    if (is_hierarchy_root(level) && file_has(level + "/cgroup.controllers", "cpu")) {
      return Place{level, own, 2, true};
    }
  }
  return base::Error{
      "no cgroup with a CPU quota can be made below " + own +
          ": it holds processes, so cgroup v2 does not let it hand the cpu controller to children, "
          "moving them elsewhere is not ours to do, and no cgroup above it that can be seen from "
          "here hands it on; " +
          how_to_allow,
      0};
}

base::Result<Place> find_place() {
  const auto memberships = os::read_text("/proc/self/cgroup");
  if (!memberships) return memberships.error();
  const auto mounts = os::read_text("/proc/self/mountinfo");
  if (!mounts) return mounts.error();
  return choose_place(budget::locate_controller(budget::parse_proc_cgroup(*memberships),
                                                budget::parse_mountinfo(*mounts), "cpu"));
}

}  // namespace weft::sandbox
