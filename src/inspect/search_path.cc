// SPDX-License-Identifier: Apache-2.0
// Finds a program as exec does.
#include "inspect/search_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/text.h"

namespace weft::inspect {
namespace {

Found look_at(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return {Found::Outcome::not_executable, path, std::strerror(errno)};
  }
  if (S_ISDIR(status.st_mode)) return {Found::Outcome::not_executable, path, "is a directory"};
  if (!S_ISREG(status.st_mode)) {
    return {Found::Outcome::not_executable, path, "is not a regular file"};
  }
  if (::access(path.c_str(), X_OK) != 0) {
    return {Found::Outcome::not_executable, path,
            "may not be executed: chmod +x it, or look whether its file system is mounted noexec"};
  }
  return {Found::Outcome::executable, path};
}

}  // namespace

Found find_program(const std::string& name, std::string_view search_path) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return look_at(name);
  Found best;
  bool more = true;
  while (more) {
    more = search_path.find(':') != std::string_view::npos;
    const std::string_view directory = base::take_until(search_path, ':');
    std::string path(directory.empty() ? std::string_view(".") : directory);
    path.append("/").append(name);
    Found found = look_at(path);
    if (found.outcome == Found::Outcome::executable) return found;
    if (best.outcome == Found::Outcome::not_found) best = std::move(found);
  }
  return best;
}

std::string search_path_here() {
  const char* const path = std::getenv("PATH");
  return path != nullptr ? path : "/bin:/usr/bin";
}

}  // namespace weft::inspect
