// SPDX-License-Identifier: Apache-2.0
// A group in the v2 hierarchy with no controllers, also on hybrid hosts: for its pressure files.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "budget/cgroup_location.h"
#include "os/file.h"
#include "sandbox/removal.h"

namespace weft::support {

class UnifiedGroup {
 public:
  static base::Result<UnifiedGroup> create() {
    const auto memberships = os::read_text("/proc/self/cgroup");
    if (!memberships) return memberships.error();
    const auto mounts = os::read_text("/proc/self/mountinfo");
    if (!mounts) return mounts.error();
    const auto location = budget::locate_unified(budget::parse_proc_cgroup(*memberships),
                                                 budget::parse_mountinfo(*mounts));
    if (location.version != 2) return base::Error{location.problem, 0};
    const std::string& own = location.levels.front();
    std::string directory = own + "/weft-" + std::to_string(::getpid()) + "-pressure";
    if (::mkdir(directory.c_str(), 0755) != 0) return os::last_error("make", directory);
    return UnifiedGroup(std::move(directory), own);
  }

  ~UnifiedGroup() { remove(); }
  UnifiedGroup(UnifiedGroup&& other) noexcept
      : directory_(std::exchange(other.directory_, {})), origin_(std::move(other.origin_)) {}
  UnifiedGroup& operator=(UnifiedGroup&&) = delete;

  base::Status enter(pid_t process = 0) const {
    return os::write_text(directory_ + "/cgroup.procs", std::to_string(process));
  }
  void remove() {
    if (!directory_.empty()) {
      EXPECT_TRUE(sandbox::remove_group(directory_, origin_)) << directory_;
    }
    directory_.clear();
  }
  const std::string& directory() const { return directory_; }

 private:
  UnifiedGroup(std::string directory, std::string origin)
      : directory_(std::move(directory)), origin_(std::move(origin)) {}

  std::string directory_;  // empty: gone, or moved from
  std::string origin_;
};

}  // namespace weft::support
