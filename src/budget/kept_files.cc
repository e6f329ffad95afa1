// SPDX-License-Identifier: Apache-2.0
// Files kept open to see whether their text has changed.
#include "budget/kept_files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

namespace weft::budget {

void KeptFiles::keep(const std::string& path) {
  Kept kept;
  auto file = os::open_to_read(path);
  const auto count =
      file ? os::read_again(*file, buffer_) : base::Result<std::size_t>(file.error());
  if (count) {
    kept.text.assign(buffer_.data(), *count);
    kept.file = std::move(*file);
  } else if (count.error().code == ENOENT) {
    kept.absent_path = path;
  } else {
    kept.lost = true;
  }
  files_.push_back(std::move(kept));
}

bool KeptFiles::has_changed(const Kept& kept) const {
  if (kept.lost) return true;
  if (!kept.absent_path.empty()) return ::access(kept.absent_path.c_str(), F_OK) == 0;
  const auto count = os::read_again(kept.file, buffer_);
  return !count || std::string_view(buffer_.data(), *count) != kept.text;
}

bool KeptFiles::changed() const {
  return std::any_of(files_.begin(), files_.end(),
                     [this](const Kept& kept) { return has_changed(kept); });
}

}  // namespace weft::budget
