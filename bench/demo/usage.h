// SPDX-License-Identifier: Apache-2.0
// What a process has used of the machine so far, as /proc tells it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace weft::demo {

struct Usage {
  double cpu_seconds = 0;                   // of all threads, also of those that are gone
  std::map<pid_t, std::uint64_t> switches;  // context switches of each thread that is there
};

struct UsageBetween {
  double cpu_seconds = 0;
  double switches = 0;
  double threads = 0;      // at the end
  double threads_ran = 0;  // of these, those that the kernel switched to or from in between
};

base::Result<Usage> read_usage(pid_t process);

UsageBetween between(const Usage& before, const Usage& after);

// User and system time in ticks, of the text of /proc/PID/stat.
std::optional<std::uint64_t> parse_cpu_ticks(std::string_view stat);
// Voluntary and forced switches together, of the text of /proc/PID/task/TID/status.
std::optional<std::uint64_t> parse_switches(std::string_view status);

}  // namespace weft::demo
