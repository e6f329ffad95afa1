// SPDX-License-Identifier: Apache-2.0
// The cgroups of the process, as far as /proc tells, and the directories that limit it.
#include "budget/cgroup_view.h"

#include "base/text.h"

namespace weft::budget {
namespace {

// The number of the initial cgroup namespace is fixed in the kernel (PROC_CGROUP_INIT_INO).
constexpr std::string_view initial_cgroup_namespace = "cgroup:[4026531835]";

// It is we who open the files, so the mounts are our own also when another process is asked about.
constexpr const char* mountinfo_path = "/proc/self/mountinfo";

Candidate obstacle(std::string where, Verdict verdict, std::string reason) {
  return {"", std::move(where), {}, verdict, std::move(reason)};
}

// Takes the mark off the paths of cgroups that are really gone.
void settle_removed(const Host& host, CgroupView& view) {
  for (Membership& membership : view.memberships) {
    if (!membership.path.ends_with(removed_mark)) continue;
    std::string_view controllers = membership.controllers;
    const CgroupLocation as_named =
        locate_controller({membership}, view.mounts, base::take_until(controllers, ','));
    if (!as_named.levels.empty() && host.exists(as_named.levels.front())) continue;
    membership.path.resize(membership.path.size() - removed_mark.size());
    membership.removed = true;
  }
}

}  // namespace

CgroupView view_cgroups(const Host& host) {
  CgroupView view;
  if (!host.may_use_proc()) {
    view.obstacle = obstacle("/proc", Verdict::absent, "not asked: cgroups are switched off");
    return view;
  }
  const std::string cgroup_path = host.process_file("cgroup");
  const auto cgroup_text = host.read(cgroup_path);
  const auto mountinfo_text = host.read(mountinfo_path);
  if (!cgroup_text) {
    // A kernel without cgroups still has the second file; where both are missing, /proc is.
    view.obstacle = is_absent(cgroup_text.error()) && mountinfo_text
                        ? obstacle(cgroup_path, Verdict::absent, "this kernel has no cgroups")
                        : obstacle(cgroup_path, Verdict::unreadable, cgroup_text.error().message);
    return view;
  }
  if (!mountinfo_text) {
    view.obstacle = obstacle(mountinfo_path, Verdict::unreadable, mountinfo_text.error().message);
    return view;
  }
  view.memberships = parse_proc_cgroup(*cgroup_text);
  view.mounts = parse_mountinfo(*mountinfo_text);
  settle_removed(host, view);
  const auto link = host.read_link("/proc/self/ns/cgroup");
  view.in_namespace = link && *link != initial_cgroup_namespace;
  return view;
}

Levels find_levels(const Host& host, const CgroupView& view, std::string_view controller,
                   Footprint& footprint) {
  Levels found;
  if (view.obstacle) {
    found.obstacle = view.obstacle;
    return found;
  }
  CgroupLocation location = locate_controller(view.memberships, view.mounts, controller);
  if (location.outside || (location.guessed && host.process() != 0)) {
    // What we could read are the limits of others.
    found.obstacle = obstacle(host.process_file("cgroup"), Verdict::unreadable,
                              "the cgroup " + location.path +
                                  " is outside of what we can see from our own; ask from the host");
    return found;
  }
  found.version = location.version;
  found.sees_all = location.reaches_root && !view.in_namespace;
  found.notes = std::move(location.notes);
  if (!location.problem.empty()) {
    found.obstacle =
        obstacle(location.problem_where == "cgroup" ? host.process_file("cgroup") : mountinfo_path,
                 Verdict::absent, std::move(location.problem));
  }
  for (std::string& directory : location.levels) {
    const bool is_root =
        location.reaches_root && !view.in_namespace && &directory == &location.levels.back();
    if (!is_root) footprint.directories.push_back(directory);
    found.levels.push_back({std::move(directory), !is_root});
  }
  return found;
}

}  // namespace weft::budget
