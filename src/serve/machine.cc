// SPDX-License-Identifier: Apache-2.0
// From /proc and the cgroups.
#include "serve/machine.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ctime>

#include "base/text.h"
#include "os/file.h"
#include "serve/seconds.h"

namespace weft::serve {
namespace {

double process_cpu_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace

std::uint64_t resident_pages(std::string_view statm) noexcept {
  base::take_field(statm);
  return base::to_number<std::uint64_t>(base::take_field(statm)).value_or(0);
}

std::uint64_t threads_of(std::string_view stat) noexcept {
  constexpr int fields_before = 17;  // from the state, which follows the name, to the threads
  const std::size_t end_of_name = stat.rfind(')');
  if (end_of_name == std::string_view::npos) return 0;
  stat.remove_prefix(end_of_name + 1);
  for (int i = 0; i < fields_before; ++i) base::take_field(stat);
  return base::to_number<std::uint64_t>(base::take_field(stat)).value_or(0);
}

MachineNumbers::Stalled choose_stall(const budget::Pressure& pressure, budget::Resource resource) {
  MachineNumbers::Stalled stalled;
  for (const budget::StallReading& reading : pressure.stalls) {
    if (reading.resource != resource) continue;
    if (!reading.some) {
      if (stalled.why_not.empty()) stalled.why_not = reading.reason;
    } else if (!stalled.seconds || reading.scope == budget::Scope::cgroup) {
      stalled.seconds = seconds_of(reading.some->total);
      stalled.scope = reading.scope;
    }
  }
  return stalled;
}

MachineNumbers Machine::read() {
  budget_.refresh();
  const auto budget = budget_.current();
  const budget::Pressure pressure = budget::read_pressure();
  MachineNumbers numbers;
  numbers.cpu_budget = budget->cpu.cores;
  numbers.memory_budget = budget->memory.bytes;
  numbers.cpu_seconds = process_cpu_seconds();
  if (const auto statm = os::read_text("/proc/self/statm")) {
    numbers.resident_bytes =
        resident_pages(*statm) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  }
  if (const auto stat = os::read_text("/proc/self/stat")) numbers.threads = threads_of(*stat);
  for (const budget::Throttling& throttling : pressure.throttling) {
    numbers.throttled_seconds =
        numbers.throttled_seconds.value_or(0) + seconds_of(throttling.throttled);
    numbers.throttled_periods =
        numbers.throttled_periods.value_or(0) + throttling.throttled_periods;
  }
  numbers.cpu = choose_stall(pressure, budget::Resource::cpu);
  numbers.memory = choose_stall(pressure, budget::Resource::memory);
  numbers.io = choose_stall(pressure, budget::Resource::io);
  return numbers;
}

Descriptors read_descriptors() {
  Descriptors descriptors;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) descriptors.most = limit.rlim_cur;
  DIR* const folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return descriptors;
  while (const dirent* const entry = ::readdir(folder)) {
    if (entry->d_name[0] != '.') ++descriptors.open;
  }
  ::closedir(folder);
  --descriptors.open;  // the folder itself
  return descriptors;
}

}  // namespace weft::serve
