// SPDX-License-Identifier: Apache-2.0
// FileTree: a folder, and the files beneath it; nothing that leads out of it can be opened.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/file.h"

namespace weft::serve {

class FileTree {
 public:
  static base::Result<FileTree> open(const std::string& folder);

  struct Opened {
    os::Descriptor file;
    struct stat status {};
  };
  // The path is relative, without "." and ".." (http/target.h makes it so). Symbolic links are
  // followed as long as they stay beneath; where the kernel cannot see to that, none are. What is
  // neither a file nor a folder (a device, a FIFO) is not opened. The Error has errno: EXDEV for
  // what leads out.
  base::Result<Opened> find(std::string_view path) const;

 private:
  explicit FileTree(os::Descriptor root) noexcept : root_(std::move(root)) {}
  int open_beneath(const char* path) const;

  os::Descriptor root_;
};

}  // namespace weft::serve
