// SPDX-License-Identifier: Apache-2.0
// Programs in PATH and files in the temporary directory.
#include "bench/rivals.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "os/file.h"

namespace weft::bench {

std::string find_program(const std::string& name) {
  const char* const variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::string_view directory = base::take_until(rest, ':');
    const std::filesystem::path candidate =
        std::filesystem::path(directory.empty() ? "." : directory) / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(candidate, error) &&
        access(candidate.c_str(), X_OK) == 0) {
      return std::filesystem::absolute(candidate, error).string();
    }
  }
  return {};
}

base::Error missing_rivals(const std::vector<std::string>& missing) {
  std::string names;
  for (const std::string& name : missing) names += (names.empty() ? "" : ", ") + name;
  return base::Error{"rivals not installed: " + names +
                     " (looked in PATH); install them with `scripts/deps bench`, or leave them out "
                     "with --allow-missing"};
}

base::Result<TemporaryDirectory> TemporaryDirectory::create() {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) return base::Error{"no temporary directory: " + error.message() + "; set TMPDIR"};
  std::string name = (parent / "weft-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return os::last_error("create", name);
  return TemporaryDirectory(name);
}

TemporaryDirectory::TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

base::Result<std::string> TemporaryDirectory::write(const std::string& name,
                                                    std::string_view text) const {
  const std::string path = (path_ / name).string();
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) return os::last_error("write", path);
  return path;
}

}  // namespace weft::bench
