// SPDX-License-Identifier: Apache-2.0
// MappedFile: the bytes of a regular file, without reading more of it than is looked at.
#pragma once

#include <string>

#include "base/result.h"
#include "inspect/elf.h"

namespace weft::inspect {

class MappedFile {
 public:
  static base::Result<MappedFile> open(const std::string& path);

  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Valid as long as this is. A file that shrinks meanwhile is the reader's bad luck (SIGBUS), as
  // it is for the loader.
  Bytes bytes() const noexcept { return bytes_; }

 private:
  explicit MappedFile(Bytes bytes) noexcept : bytes_(bytes) {}

  Bytes bytes_;
};

}  // namespace weft::inspect
