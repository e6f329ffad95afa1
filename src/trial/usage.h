// SPDX-License-Identifier: Apache-2.0
// What a process has used of the machine so far, as /proc tells it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace weft::trial {

struct CpuTime {
  double user_seconds = 0;
  double system_seconds = 0;

  double seconds() const noexcept { return user_seconds + system_seconds; }
};

struct Usage {
  CpuTime cpu{};                              // of all threads, also of those that are gone
  std::map<pid_t, std::uint64_t> switches{};  // context switches of each thread that is there
};

struct UsageBetween {
  CpuTime cpu{};
  double switches = 0;
  double threads = 0;      // at the end
  double threads_ran = 0;  // of these, those that the kernel switched to or from in between
};

base::Result<CpuTime> read_cpu_time(pid_t process);
base::Result<Usage> read_usage(pid_t process);

CpuTime between(const CpuTime& before, const CpuTime& after);
UsageBetween between(const Usage& before, const Usage& after);

struct CpuTicks {
  std::uint64_t user = 0;
  std::uint64_t system = 0;
};

// From the text of /proc/PID/stat.
std::optional<CpuTicks> parse_cpu_ticks(std::string_view stat);
// Voluntary and forced switches together, of the text of /proc/PID/task/TID/status.
std::optional<std::uint64_t> parse_switches(std::string_view status);

}  // namespace weft::trial
