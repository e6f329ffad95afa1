// SPDX-License-Identifier: Apache-2.0
// Finds a program as exec does: by its path, or by its name in the directories of PATH.
#pragma once

#include <string>
#include <string_view>

namespace weft::inspect {

struct Found {
  enum class Outcome {
    executable,
    not_found,       // nowhere
    not_executable,  // there, but not to be run: path says where, reason why
  };
  Outcome outcome = Outcome::not_found;
  std::string path = {};    // absolute only where the name or PATH is
  std::string reason = {};  // "is a directory", "Permission denied: …"
};

// A name with a '/' in it is a path. An empty directory in `search_path` is the current one. A file
// that may not be executed is passed over, but remembered, in case there is no other.
Found find_program(const std::string& name, std::string_view search_path);

// PATH of this process, or what exec takes where it is not set.
std::string search_path_here();

}  // namespace weft::inspect
