// SPDX-License-Identifier: Apache-2.0
// Files kept open to see whether their text has changed: one system call each.
#pragma once

#include <string>
#include <vector>

#include "os/file.h"

namespace weft::budget {

class KeptFiles {
 public:
  // Opens the file and remembers its text. One that is not there counts as changed once it is; one
  // that cannot be opened or read counts as changed from then on, so that somebody looks.
  void keep(const std::string& path);

  // Whether any text differs from what was remembered, or can no longer be read.
  bool changed() const;

  std::size_t size() const noexcept { return files_.size(); }

 private:
  struct Kept {
    os::Descriptor file;
    std::string text;
    std::string absent_path;  // where the file would be; empty: it is there
    bool lost = false;
  };
  bool has_changed(const Kept& kept) const;

  std::vector<Kept> files_;
  // Limits are short; a /proc/PID/cgroup of a dozen deep paths is not.
  mutable std::vector<char> buffer_ = std::vector<char>(65536);
};

}  // namespace weft::budget
