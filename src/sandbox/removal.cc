// SPDX-License-Identifier: Apache-2.0
// How a group goes: what runs in it is killed, and the directory is removed, within bounded time.
#include "sandbox/removal.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "base/text.h"
#include "os/file.h"

namespace weft::sandbox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view name_prefix = "weft-";

// The directories in a directory; none where it cannot be read.
std::vector<std::filesystem::path> directories_in(const std::string& parent) {
  std::vector<std::filesystem::path> directories;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;  // another process may remove its group at any time
    if (entry->is_directory(gone)) directories.push_back(entry->path());
  }
  return directories;
}

void kill_processes_in(const std::string& directory, const std::string& origin) {
  const auto processes = os::read_text(directory + "/cgroup.procs");
  if (!processes) return;
  std::string_view rest = *processes;
  while (!rest.empty()) {
    const auto process = base::to_number<pid_t>(base::take_until(rest, '\n'));
    if (!process || *process <= 0) continue;  // 0: of another pid namespace
    if (*process == ::getpid()) {
      (void)os::write_text(origin + "/cgroup.procs", "0");
    } else {
      ::kill(*process, SIGKILL);
    }
  }
}

bool remove_until(const std::string& directory, const std::string& origin,
                  Clock::time_point deadline) {
  while (true) {
    for (const auto& below : directories_in(directory)) {
      remove_until(below.string(), origin, deadline);
    }
    // Again in each round: a process may fork between our reading and its death.
    kill_processes_in(directory, origin);
    if (::rmdir(directory.c_str()) == 0 || errno == ENOENT) return true;
    if (errno != EBUSY || Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// The PID of a directory "weft-PID-..."; 0 for any other name.
pid_t maker_of(const std::filesystem::path& directory) {
  const std::string filename = directory.filename().string();
  std::string_view name = filename;
  if (!name.starts_with(name_prefix)) return 0;
  name.remove_prefix(name_prefix.size());
  const auto process = base::to_number<pid_t>(base::take_until(name, '-'));
  return process && *process > 0 && !name.empty() ? *process : 0;
}

}  // namespace

bool remove_group(const std::string& directory, const std::string& origin,
                  std::chrono::milliseconds timeout) {
  return remove_until(directory, origin, Clock::now() + timeout);
}

void remove_stale_groups(const std::string& parent, const std::string& origin) {
  for (const auto& directory : directories_in(parent)) {
    const pid_t maker = maker_of(directory);
    if (maker > 0 && ::kill(maker, 0) != 0 && errno == ESRCH) {
      remove_group(directory.string(), origin);
    }
  }
}

bool has_groups(const std::string& parent) {
  const auto directories = directories_in(parent);
  return std::any_of(directories.begin(), directories.end(),
                     [](const auto& directory) { return maker_of(directory) > 0; });
}

}  // namespace weft::sandbox
