// SPDX-License-Identifier: Apache-2.0
// Program: which binary runs when a program is started, and whether weft can be loaded into it.
//
// A script is followed to its interpreter, through env, as the kernel and env would; what is judged
// is the binary at the end. Judging is pure and takes bytes; finding reads the file system.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "inspect/elf.h"

namespace weft::inspect {

// Exit codes as those of env and the shells.
inline constexpr int exit_cannot_execute = 126;
inline constexpr int exit_not_found = 127;

// Why it cannot be run under weft.
struct Refusal {
  std::string reason;  // a clause that goes on from the path: "is statically linked: …"
  int exit_code = exit_cannot_execute;
};

// What gives a binary more rights than its caller, so that the loader ignores LD_PRELOAD.
struct Privileges {
  bool set_user_id = false;
  bool set_group_id = false;
  bool capabilities = false;
};

Privileges read_privileges(const std::string& path);

// Judges a binary by itself; nothing where weft can be loaded into it.
std::optional<Refusal> judge(const base::Result<Elf>& elf, const Privileges& privileges);

struct Program {
  std::string path;                                              // what to execute
  std::vector<std::string> arguments;                            // from its own name on
  std::vector<std::pair<std::string, std::string>> assignments;  // env's, of a script's first line
  std::string binary;                                            // whose threads will run
  std::vector<std::string> scripts;                              // that led there, outermost first
  std::optional<Refusal> refusal;  // with the path of whom it is about in front
  bool in_place = false;  // the interpreter is executed, not the script: in the place of env or sh
  bool unread = false;    // the binary may be executed, but not looked at
};

// `words` are not empty: the program's name and its arguments.
Program find(const std::vector<std::string>& words, std::string_view search_path);

}  // namespace weft::inspect
