// SPDX-License-Identifier: Apache-2.0
// The host that a Query names.
#include "budget/host.h"

#include <signal.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "os/file.h"

namespace weft::budget {
std::string Host::local_path(const std::string& path) const {
  return is_here() ? path : query_.root + path;
}

std::string Host::process_file(const std::string& name) const {
  const std::string process = query_.process == 0 ? "self" : std::to_string(query_.process);
  return "/proc/" + process + "/" + name;
}

base::Result<std::string> Host::read(const std::string& path) const {
  auto text = os::read_text(local_path(path));
  if (text || is_here()) return text;
  errno = text.error().code;
  return os::last_error("read", path);
}

bool Host::exists(const std::string& path) const {
  std::error_code unreadable;
  return std::filesystem::exists(local_path(path), unreadable);
}

bool Host::process_exists() const {
  if (query_.process == 0) return true;
  if (is_here()) return ::kill(query_.process, 0) == 0 || errno != ESRCH;
  return exists(process_file(""));
}

base::Result<std::string> Host::read_link(const std::string& path) const {
  return os::read_link(local_path(path));
}

base::Result<std::optional<std::string>> Host::variable(const std::string& name) const {
  using Value = std::optional<std::string>;
  const auto unless_empty = [](std::string_view value) {
    return value.empty() ? Value() : Value(value);
  };
  if (query_.environment) {
    for (const auto& [key, value] : *query_.environment) {
      if (key == name) return unless_empty(value);
    }
    return Value();
  }
  if (is_here() && query_.process == 0) {
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? Value() : unless_empty(value);
  }
  if (!may_use_proc()) return Value();
  const auto text = read(process_file("environ"));
  if (!text) {
    if (is_absent(text.error())) return Value();
    return text.error();
  }
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view value = base::take_until(rest, '\0');
    if (base::take_until(value, '=') == name) return unless_empty(value);
  }
  return Value();
}

bool is_absent(const base::Error& error) noexcept {
  return error.code == ENOENT || error.code == ENOTDIR;
}

}  // namespace weft::budget
