// SPDX-License-Identifier: Apache-2.0
// Fuzzed: /proc/PID/mountinfo.
#include "budget/mountinfo.h"

#include "property.h"

namespace weft::fuzz {

void try_input(std::string_view text) {
  for (const auto& mount : budget::parse_mountinfo(text)) {
    require(mount.version == 1 || mount.version == 2, "there are two versions");
    require(!mount.mount_point.empty(), "a mount is somewhere");
  }
  require(budget::unescape_octal(text).size() <= text.size(), "unescaping makes nothing longer");
}

}  // namespace weft::fuzz
