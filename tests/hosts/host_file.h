// SPDX-License-Identifier: Apache-2.0
// A .host file: a whole host as one text, unpacked into a directory. README.md has the format.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::hosts {

struct Expectation {
  std::string what;   // "cpu.cores", "candidate", "note", …
  std::string value;  // the rest of the line
};

struct HostFile {
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<Expectation> expectations;
  bool has_unreadable_files = false;
};

// Parses the text and writes its files below `root`. Throws std::runtime_error with the line that
// makes no sense: a test that is mistyped must fail.
HostFile unpack_host(std::string_view text, const std::string& root);

// A directory below the system's temporary one, removed with all that is in it; readable by all.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace weft::hosts
