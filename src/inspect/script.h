// SPDX-License-Identifier: Apache-2.0
// The first line of a script: who runs it.
//
// Pure: the kernel's rule for "#!", and env's for what it is given there. Between them they decide
// which binary really runs, and that is the one to look at.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace weft::inspect {

struct Shebang {
  std::string interpreter;              // as written; exec does not search PATH for it
  std::optional<std::string> argument;  // everything behind it, in one word
};

// Nothing where the text does not begin with "#!", or names nobody.
std::optional<Shebang> parse_shebang(std::string_view text);

// True where it looks like text: what a shell runs although it does not say by whom.
bool is_text(std::string_view start) noexcept;

// What "#!/usr/bin/env …" asks env to do.
struct EnvCall {
  std::vector<std::pair<std::string, std::string>> assignments;
  std::vector<std::string> words;  // the program, to be searched for in PATH, and its arguments
};

// Nothing where the interpreter is not env. An Error where env is asked for something that cannot
// be done in its place; the message says what to do.
std::optional<base::Result<EnvCall>> parse_env_call(const Shebang& shebang);

}  // namespace weft::inspect
