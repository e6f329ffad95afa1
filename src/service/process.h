// SPDX-License-Identifier: Apache-2.0
// What a process takes from its budget before it has threads: afterwards it is too late.
#pragma once

#include <weft/budget.h>

#include <cstdint>
#include <string>
#include <vector>

namespace weft::service {

struct Setting {
  std::string name;
  std::uint64_t value = 0;
  std::string rule;     // that gave the value
  std::string problem;  // empty: it is set
};

// Sets malloc's arenas (unless MALLOC_ARENA_MAX says so already, which is somebody's wish) and the
// stack of every thread that does not ask for another. Only for glibc's malloc: another allocator
// that is preloaded or linked in takes no notice.
std::vector<Setting> apply_sizes(const budget::Budget& budget);

}  // namespace weft::service
