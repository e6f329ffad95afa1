// SPDX-License-Identifier: Apache-2.0
// Pages that were left behind.
#include "inspect/old_pages.h"

#include <sys/types.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace weft::inspect {
namespace {

// Of a name like weft.1234.
std::optional<pid_t> owner_of(std::string_view name) {
  constexpr std::string_view prefix = "weft.";
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  const bool is_number = error == std::errc{} && end == name.data() + name.size() && process > 0;
  return is_number ? std::optional(process) : std::nullopt;
}

bool is_gone(pid_t process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

}  // namespace

void remove_pages_of_the_gone(const std::filesystem::path& folder) noexcept {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
    const auto owner = owner_of(entry->path().filename().string());
    std::error_code refused;  // another user's
    if (owner && is_gone(*owner)) std::filesystem::remove(entry->path(), refused);
  }
}

}  // namespace weft::inspect
