// SPDX-License-Identifier: Apache-2.0
// Which file tells the pressure on a resource, and why it may not.
#include "budget/pressure_file.h"

#include <cerrno>

#include "base/text.h"

namespace weft::budget {

PressureFile find_pressure_file(const Host& host, const CgroupView& view, Resource resource,
                                Scope scope) {
  PressureFile file{resource, scope, {}, {}};
  if (!host.may_use_proc()) {
    file.problem = "not asked: cgroups are switched off";
  } else if (scope == Scope::system) {
    file.where = std::string("/proc/pressure/") + to_string(resource);
  } else if (view.obstacle) {
    file.problem = view.obstacle->reason;
  } else {
    const CgroupLocation location = locate_unified(view.memberships, view.mounts);
    if (location.version == 0) {
      file.problem = location.problem + "; only cgroup v2 tells the pressure on a cgroup";
    } else {
      file.where = location.levels.front() + "/" + to_string(resource) + ".pressure";
    }
  }
  return file;
}

std::string explain_no_pressure(const Host& host, const PressureFile& file, int error_code,
                                const std::string& message) {
  const bool absent = error_code == ENOENT || error_code == ENOTDIR;
  if (file.scope == Scope::cgroup && (absent || error_code == EOPNOTSUPP)) {
    // Switching it off hides the files.
    const std::string directory = file.where.substr(0, file.where.rfind('/'));
    const auto enabled = host.read(directory + "/cgroup.pressure");
    if (enabled && base::trim(*enabled) == "0") {
      return "switched off for this cgroup (cgroup.pressure is 0)";
    }
  }
  if (error_code == EOPNOTSUPP) return "switched off in this kernel: boot with psi=1";
  if (absent && file.resource == Resource::irq) {
    return "this kernel does not tell the pressure of interrupts";
  }
  if (absent) {
    return file.scope == Scope::system
               ? "this kernel has no pressure stall information (CONFIG_PSI)"
               : "this cgroup has no such file";
  }
  return message;
}

}  // namespace weft::budget
