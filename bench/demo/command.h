// SPDX-License-Identifier: Apache-2.0
// Somebody's own command in a cgroup with a quota: as it is, and told its budget.
#pragma once

#include <string>

#include "base/result.h"
#include "sandbox/cgroup.h"

namespace weft::demo {

struct CommandOptions {
  std::string command;                      // for sh -c
  std::string weft_program;                 // for `weft budget --env`
  const sandbox::Cgroup* cgroup = nullptr;  // to run in; none: where we are
  const sandbox::Cgroup* quota = nullptr;   // the one that is throttled; none: nothing is counted
};

// Runs the command twice, with its output where ours is, and prints how long it took and how much
// it was throttled. An Error where it could not be run or a signal came.
base::Status compare_command(const CommandOptions& options);

}  // namespace weft::demo
