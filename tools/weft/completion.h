// SPDX-License-Identifier: Apache-2.0
// `weft completion`: the completion script, made from the options themselves.
#pragma once

#include <string>
#include <vector>

namespace weft::tool {

struct CommandWords {
  std::string name;
  std::vector<std::string> options;
  bool takes_program = false;
};

// The script for bash.
std::string bash_completion(const std::vector<CommandWords>& commands);

}  // namespace weft::tool
