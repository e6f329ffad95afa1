// SPDX-License-Identifier: Apache-2.0
// The child between fork and exec, where only async-signal-safe calls are allowed: another thread
// may have held any lock at the fork.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <optional>

#include "base/result.h"
#include "os/file.h"

namespace weft::sandbox {

// What the child is to do; everything was allocated and opened before the fork.
struct ChildPlan {
  const char* file = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  int cgroup_processes = -1;        // cgroup.procs, open for writing; -1: stay
  const cpu_set_t* cpus = nullptr;  // none: stay
  int input = -1;
  int output = -1;   // -1: as ours
  int errors = -1;   // -1: as ours
  int failure = -1;  // write end of a pipe that exec closes
  pid_t parent = 0;
};

// Becomes the program. Where a step fails, tells which one and why through the failure pipe.
[[noreturn]] void become(const ChildPlan& plan) noexcept;

// In the parent: waits until the child has become the program, or says why it could not.
std::optional<base::Error> wait_for_exec(const os::Descriptor& failure_pipe);

}  // namespace weft::sandbox
