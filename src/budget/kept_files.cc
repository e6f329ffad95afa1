// SPDX-License-Identifier: Apache-2.0
// Files kept open to see whether their text has changed.
#include "budget/kept_files.h"

#include <array>
#include <utility>

namespace weft::budget {
namespace {

// Limits are short. Of /proc/PID/cgroup, a dozen lines of a path each, the first page is compared.
using Buffer = std::array<char, 4096>;

}  // namespace

void KeptFiles::keep(const std::string& path) {
  Kept kept;
  auto file = os::open_to_read(path);
  Buffer buffer;
  const auto count = file ? os::read_again(*file, buffer) : base::Result<std::size_t>(file.error());
  kept.lost = !count;
  if (count) {
    kept.text.assign(buffer.data(), *count);
    kept.file = std::move(*file);
  }
  files_.push_back(std::move(kept));
}

bool KeptFiles::changed() const {
  Buffer buffer;
  for (const Kept& kept : files_) {
    if (kept.lost) return true;
    const auto count = os::read_again(kept.file, buffer);
    if (!count || std::string_view(buffer.data(), *count) != kept.text) return true;
  }
  return false;
}

}  // namespace weft::budget
