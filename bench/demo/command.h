// SPDX-License-Identifier: Apache-2.0
// Somebody's own command, natively and under weft.
#pragma once

#include <string>

#include "base/result.h"

namespace weft::demo {

// What a command used, with everything that it started and waited for.
struct CommandRun {
  double seconds = 0;
  double cpu_seconds = 0;
  double switches = 0;
  int exit_code = 0;
};

// Runs the command (of sh) twice, with its output where ours is and `weft run --stats` the second
// time, and prints both. An Error where it could not be run, or a signal came.
base::Status compare_command(const std::string& command, const std::string& weft_program);

// The table and what to do next.
std::string to_text(const CommandRun& native, const CommandRun& weft, const std::string& command);

}  // namespace weft::demo
