// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end, if wanted in a cgroup and on chosen CPUs, and collects what it
// printed.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/cgroup.h"

namespace weft::sandbox {

struct RunOptions {
  const Cgroup* cgroup = nullptr;             // none: where we are
  std::vector<int> cpus{};                    // affinity of the child; empty: as ours
  std::vector<std::string> environment{};     // NAME=value added to ours, in place of the same NAME
  std::chrono::milliseconds timeout{30'000};  // then it is killed, and that is an Error
  bool collect = true;                        // false: it prints where we print
  bool (*stop)() noexcept = nullptr;          // says true: killed as at the timeout
};

struct Finished {
  int exit_code = 0;  // 128 + signal where a signal ended it
  std::string output;
  std::string errors;
};

// Runs a program, found in PATH where its name has no '/', with nothing to read on its standard
// input. The child is in the cgroup before the program begins, leads a process group of its own and
// dies with the calling thread. It has finished when it exits: what it leaves running is not waited
// for. Where it cannot be started, or has to be killed (with its process group), the Error names
// the program.
base::Result<Finished> run(const std::vector<std::string>& arguments,
                           const RunOptions& options = {});

}  // namespace weft::sandbox
