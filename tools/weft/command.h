// SPDX-License-Identifier: Apache-2.0
// A command of the weft program: one file each, holding its name, help, options and action.
//
// Options are data, so that the parsing library is included in one file only, and so that help,
// completion and parsing cannot disagree.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace weft::tool {

struct Option {
  std::string name;  // "--json"; a name without hyphens is an argument by its place
  std::string help;
  // Where the value goes; a bool is a flag, a list has a word for each time it is given.
  std::variant<bool*, int*, std::uint64_t*, std::string*, std::vector<std::string>*> target;
  std::string value_text = {};             // how the value is shown in the help: "N [11]"
  int least = 0;                           // of an int
  int most = 0;                            // of an int; 0: no bounds
  bool is_directory = false;               // a text that names one that exists
  std::vector<std::string> needs = {};     // makes sense only with these
  std::vector<std::string> excludes = {};  // makes no sense with these
};

struct Description {
  std::vector<Option> options;
  std::function<int()> action;  // run once the options are parsed; its result is the exit code
  // Where a program and its arguments go, for a command that is given one. They begin behind "--"
  // or with the first word that is no option, and are not looked at.
  std::vector<std::string>* program = nullptr;
};

struct Command {
  const char* name;
  const char* summary;
  const char* footer;  // of its help
  Description (*describe)();
};

extern const Command budget_command;
extern const Command bench_command;
extern const Command load_command;
extern const Command run_command;
extern const Command serve_command;
extern const Command doctor_command;
extern const Command symbols_command;

}  // namespace weft::tool
