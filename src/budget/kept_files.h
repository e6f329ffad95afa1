// SPDX-License-Identifier: Apache-2.0
// Files kept open to see whether their text has changed: one pread each.
#pragma once

#include <string>
#include <vector>

#include "os/file.h"

namespace weft::budget {

class KeptFiles {
 public:
  // Opens the file and remembers its text. One that cannot be opened or read counts as changed
  // from then on, so that somebody looks.
  void keep(const std::string& path);

  // Whether any text differs from what was remembered, or can no longer be read.
  bool changed() const;

  std::size_t size() const noexcept { return files_.size(); }

 private:
  struct Kept {
    os::Descriptor file;
    std::string text;
    bool lost = false;
  };
  std::vector<Kept> files_;
};

}  // namespace weft::budget
