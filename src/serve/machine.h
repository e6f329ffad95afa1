// SPDX-License-Identifier: Apache-2.0
// Machine: what the kernel says of this process: what it may use, uses, and waits for.
#pragma once

#include <weft/budget_watch.h>
#include <weft/pressure.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::serve {

// Sums are since the process, or its cgroup, began.
struct MachineNumbers {
  double cpu_budget = 0;            // in CPUs
  std::uint64_t memory_budget = 0;  // bytes; 0: not known
  double cpu_seconds = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t threads = 0;

  // By the quotas of all cgroups that we are in; none: no quota counts.
  std::optional<double> throttled_seconds;
  std::optional<std::uint64_t> throttled_periods;

  // Some task of our cgroup waited, or of the system where only that is counted.
  struct Stalled {
    std::optional<double> seconds;
    budget::Scope scope = budget::Scope::system;
    std::string why_not;
  };
  Stalled cpu, memory, io;
};

class Machine {
 public:
  // Well below a millisecond. For any thread.
  MachineNumbers read();

 private:
  budget::Watch budget_{{}, std::chrono::milliseconds{0}};  // looks when it is asked to
};

// Parts of it, without a kernel.
// The second number of /proc/self/statm, in pages.
std::uint64_t resident_pages(std::string_view statm) noexcept;
// The twentieth field of /proc/self/stat; the second is a name that may hold anything.
std::uint64_t threads_of(std::string_view stat) noexcept;
// Of our cgroup, or else of the system.
MachineNumbers::Stalled choose_stall(const budget::Pressure& pressure, budget::Resource resource);

// Open now, and how many may be.
struct Descriptors {
  std::uint64_t open = 0;
  std::uint64_t most = 0;
};
Descriptors read_descriptors();

}  // namespace weft::serve
