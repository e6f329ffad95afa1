// SPDX-License-Identifier: Apache-2.0
// From memberships and mounts to directories.
#include "budget/cgroup_location.h"

#include <algorithm>

namespace weft::budget {
namespace {

bool is_below(std::string_view path, std::string_view root) {
  return root == "/" || path == root ||
         (path.starts_with(root) && path.size() > root.size() && path[root.size()] == '/');
}

// A path or root that leads out of our cgroup namespace cannot be followed by name.
bool leads_outside(std::string_view path) {
  return path == "/.." || path.starts_with("/../") || path.find("/../") != std::string_view::npos ||
         path.ends_with("/..");
}

std::string join(const std::string& directory, std::string_view name) {
  return (directory == "/" ? std::string() : directory) + "/" + std::string(name);
}

// Every directory from `relative` below the mount point up to the mount point itself.
std::vector<std::string> levels_of(const std::string& mount_point, std::string_view relative) {
  std::vector<std::string> levels{mount_point};
  while (!relative.empty()) {
    const auto end = relative.find('/');
    const std::string_view name = relative.substr(0, end);
    relative.remove_prefix(end == std::string_view::npos ? relative.size() : end + 1);
    if (!name.empty()) levels.push_back(join(levels.back(), name));
  }
  std::reverse(levels.begin(), levels.end());
  return levels;
}

// The mount that shows our cgroup and the most of what is above it. Else the first that may have to
// do with us: one that shows only what is below our cgroup limits others. None: null.
const CgroupMount* best_mount(const std::vector<const CgroupMount*>& mounts,
                              const std::string& path) {
  const CgroupMount* best = nullptr;
  const CgroupMount* related = nullptr;
  for (const CgroupMount* mount : mounts) {
    const bool readable_root = !leads_outside(mount->root);
    if (readable_root && is_below(path, mount->root)) {
      if (best == nullptr || mount->root.size() < best->root.size()) best = mount;
    } else if (related == nullptr && !(readable_root && is_below(mount->root, path))) {
      related = mount;
    }
  }
  return best != nullptr ? best : related;
}

CgroupLocation not_found(std::string where, std::string problem) {
  CgroupLocation location;
  location.problem_where = std::move(where);
  location.problem = std::move(problem);
  return location;
}

CgroupLocation locate(const Membership& membership, const std::vector<const CgroupMount*>& mounts) {
  const CgroupMount* const best = best_mount(mounts, membership.path);
  if (best == nullptr) {
    CgroupLocation location =
        not_found("mountinfo", mounts.front()->mount_point + " shows only " + mounts.front()->root +
                                   ", which is below our cgroup " + membership.path);
    location.notes.push_back(location.problem + ": our own limits cannot be seen; set CPU_LIMIT");
    return location;
  }
  const CgroupMount& mount = *best;
  CgroupLocation location;
  location.version = mount.version;
  location.path = membership.path;
  if (membership.removed) {
    location.notes.push_back("our cgroup " + membership.path +
                             " was removed while we are in it; the limits above it still count");
  }
  location.outside = leads_outside(membership.path);
  if (location.outside) {
    location.version = 0;
    location.problem = "the cgroup " + membership.path + " is outside of our cgroup namespace";
    location.problem_where = "cgroup";
    return location;
  }
  location.guessed = leads_outside(mount.root) || !is_below(membership.path, mount.root);
  if (location.guessed) {
    location.levels = {mount.mount_point};
    location.notes.push_back("our cgroup " + membership.path + " is not below " + mount.root +
                             ", which is all that " + mount.mount_point +
                             " shows; its top was read instead, and our own limit may be another: "
                             "set CPU_LIMIT to be sure");
    return location;
  }
  location.levels = levels_of(
      mount.mount_point,
      std::string_view(membership.path).substr(mount.root == "/" ? 0 : mount.root.size()));
  location.reaches_root = mount.root == "/";
  return location;
}

template <class Wanted>
std::vector<const CgroupMount*> mounts_where(const std::vector<CgroupMount>& mounts,
                                             Wanted wanted) {
  std::vector<const CgroupMount*> found;
  for (const CgroupMount& mount : mounts) {
    if (wanted(mount)) found.push_back(&mount);
  }
  return found;
}

}  // namespace

CgroupLocation locate_controller(const std::vector<Membership>& memberships,
                                 const std::vector<CgroupMount>& mounts,
                                 std::string_view controller) {
  const auto v1 = std::find_if(memberships.begin(), memberships.end(), [&](const Membership& line) {
    return list_has(line.controllers, controller);
  });
  if (v1 != memberships.end()) {
    const auto v1_mounts = mounts_where(mounts, [&](const CgroupMount& mount) {
      return mount.version == 1 && list_has(mount.super_options, controller);
    });
    if (!v1_mounts.empty()) return locate(*v1, v1_mounts);
  }
  CgroupLocation location = locate_unified(memberships, mounts);
  const std::string name(controller);
  if (v1 != memberships.end()) {
    // The limits are where we cannot look; v2 has none for this controller, but was asked anyway.
    location.problem = "the " + name + " controller is on cgroup v1, which is not mounted here";
    location.problem_where = "mountinfo";
    location.notes.push_back(location.problem + ": its limits cannot be seen; set CPU_LIMIT");
  } else if (location.version == 0 && location.problem_where == "mountinfo" &&
             location.notes.empty()) {
    location.problem = "no cgroup file system with the " + name + " controller is mounted";
  }
  return location;
}

CgroupLocation locate_unified(const std::vector<Membership>& memberships,
                              const std::vector<CgroupMount>& mounts) {
  const auto v2 = std::find_if(memberships.begin(), memberships.end(),
                               [](const Membership& line) { return line.unified(); });
  if (v2 == memberships.end()) {
    return not_found("cgroup", "the process is in no cgroup with such a controller");
  }
  const auto v2_mounts =
      mounts_where(mounts, [](const CgroupMount& mount) { return mount.version == 2; });
  if (v2_mounts.empty()) return not_found("mountinfo", "no cgroup2 file system is mounted");
  return locate(*v2, v2_mounts);
}

}  // namespace weft::budget
