// SPDX-License-Identifier: Apache-2.0
// A cgroup of our own with a CPU quota, made for one measurement or test and gone afterwards.
//
// The place is found in the way weft::budget finds it (see place.h). Groups at the top are called
// weft-PID-N, so that parallel runs do not meet and a later one can clear up after one that was
// killed: create() removes the groups of processes that are dead.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"

namespace weft::sandbox {

struct Quota {
  double cores = 1;
  std::chrono::microseconds period{100'000};
};

class Cgroup {
 public:
  // Makes a group at the top. The Error says why none can be made here and what would allow it.
  static base::Result<Cgroup> create(std::optional<Quota> quota);
  // Makes a group below this one; it must go before its parent does. v2 allows it only while no
  // process is in this one.
  base::Result<Cgroup> create_child(const std::string& name, std::optional<Quota> quota) const;

  // Removes the group, in at most two seconds. What still runs in it is killed first; only the
  // calling process is moved back instead. In a forked copy of the process nothing happens.
  ~Cgroup();
  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&& other) noexcept;
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  // None takes the quota away. cgroup v1 refuses a child looser than its parent, and a parent
  // tighter than its child; after a refusal all is as it was.
  base::Status set_quota(std::optional<Quota> quota) const;
  // Puts the group, within its quota, before everything else that wants the CPUs, so that a
  // measurement depends less on the neighbours. For a group at the top.
  base::Status prefer() const;
  // Moves a process (0: the calling one) into the group.
  base::Status enter(pid_t process = 0) const;
  // Moves a process (0: the calling one) to where this process was when the group at the top was
  // made.
  base::Status leave(pid_t process = 0) const;

  const std::string& directory() const noexcept { return directory_; }
  int version() const noexcept { return version_; }

 private:
  Cgroup(std::string directory, std::string origin, int version);
  void remove() noexcept;

  std::string directory_;   // empty: moved from
  std::string origin_;      // where processes go that leave
  std::string handing_on_;  // v2: the cgroup that we told to hand on `cpu`; empty: none
  int version_ = 1;
  pid_t maker_ = 0;
};

}  // namespace weft::sandbox
