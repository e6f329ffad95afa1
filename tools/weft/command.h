// SPDX-License-Identifier: Apache-2.0
// A command of the weft program: one file each, holding its name, help, options and action.
//
// Exit codes, the same everywhere: 0 done, 1 it ran but something is not as it should be,
// 2 it could not run as asked (bad option, bad value); what was wrong is on standard error.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <vector>

namespace weft::tool {

struct Command {
  const char* name;
  const char* summary;
  // Adds the options, and sets the action that is run once they are parsed; its result is the exit
  // code.
  void (*configure)(CLI::App& app, std::function<int()>& action);
};

inline constexpr int exit_done = 0;
inline constexpr int exit_problem = 1;
inline constexpr int exit_usage = 2;

extern const Command budget_command;
extern const Command bench_command;

// All of them, in the order of the help.
const std::vector<const Command*>& commands();

}  // namespace weft::tool
