// SPDX-License-Identifier: Apache-2.0
// What it takes to run other people's programs: where they are, and a place for their files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::bench {

// The program of that name in PATH, or nothing.
std::string find_program(const std::string& name);

// Refuses to measure without `missing` rivals: says which, and how to install or to leave them out.
base::Error missing_rivals(const std::vector<std::string>& missing);

// A directory that is gone, with what is in it, when this goes.
class TemporaryDirectory {
 public:
  static base::Result<TemporaryDirectory> create();
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&& other) = delete;
  TemporaryDirectory(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  // Makes a file and gives its path.
  base::Result<std::string> write(const std::string& name, std::string_view text) const;

 private:
  explicit TemporaryDirectory(std::filesystem::path path);
  std::filesystem::path path_;  // empty: moved from
};

}  // namespace weft::bench
