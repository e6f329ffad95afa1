// SPDX-License-Identifier: Apache-2.0
// What a process has used, from /proc/PID/stat and the status of each task.
#include "trial/usage.h"

#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/text.h"
#include "os/file.h"

namespace weft::trial {
namespace {

std::string directory_of(pid_t process) {
  return "/proc/" + std::to_string(process);
}

}  // namespace

std::optional<CpuTicks> parse_cpu_ticks(std::string_view stat) {
  // The name stands in parentheses and may hold any of them: fields count from the last.
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(name_end + 1);
  constexpr int fields_before_user_time = 11;
  for (int field = 0; field < fields_before_user_time; ++field) base::take_field(stat);
  const auto user = base::to_number<std::uint64_t>(base::take_field(stat));
  const auto system = base::to_number<std::uint64_t>(base::take_field(stat));
  if (!user || !system) return std::nullopt;
  return CpuTicks{*user, *system};
}

std::optional<std::uint64_t> parse_switches(std::string_view status) {
  std::uint64_t sum = 0;
  int found = 0;
  while (!status.empty()) {
    std::string_view line = base::take_until(status, '\n');
    const std::string_view name = base::take_until(line, ':');
    if (name != "voluntary_ctxt_switches" && name != "nonvoluntary_ctxt_switches") continue;
    const auto count = base::to_number<std::uint64_t>(base::trim(line));
    if (!count) return std::nullopt;
    sum += *count;
    ++found;
  }
  if (found != 2) return std::nullopt;
  return sum;
}

base::Result<CpuTime> read_cpu_time(pid_t process) {
  const std::string path = directory_of(process) + "/stat";
  const auto stat = os::read_text(path);
  if (!stat) return stat.error();
  const auto ticks = parse_cpu_ticks(*stat);
  if (!ticks) return base::Error{"cannot understand " + path};
  const auto ticks_a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return CpuTime{.user_seconds = static_cast<double>(ticks->user) / ticks_a_second,
                 .system_seconds = static_cast<double>(ticks->system) / ticks_a_second};
}

base::Result<Usage> read_usage(pid_t process) {
  const auto cpu = read_cpu_time(process);
  if (!cpu) return cpu.error();
  Usage usage{.cpu = *cpu};
  std::error_code error;
  for (const auto& task :
       std::filesystem::directory_iterator(directory_of(process) + "/task", error)) {
    const auto id = base::to_number<pid_t>(task.path().filename().string());
    const auto status = os::read_text(task.path().string() + "/status");
    const auto switches = status ? parse_switches(*status) : std::nullopt;
    if (id && switches) usage.switches[*id] = *switches;  // else it has just ended
  }
  if (error) return base::Error{"cannot list the threads: " + error.message(), error.value()};
  return usage;
}

CpuTime between(const CpuTime& before, const CpuTime& after) {
  return {.user_seconds = after.user_seconds - before.user_seconds,
          .system_seconds = after.system_seconds - before.system_seconds};
}

UsageBetween between(const Usage& before, const Usage& after) {
  UsageBetween used{.cpu = between(before.cpu, after.cpu),
                    .threads = static_cast<double>(after.switches.size())};
  for (const auto& [id, count] : after.switches) {
    const auto then = before.switches.find(id);
    const std::uint64_t switches = count - (then == before.switches.end() ? 0 : then->second);
    used.switches += static_cast<double>(switches);
    if (switches != 0) used.threads_ran += 1;
  }
  return used;
}

}  // namespace weft::trial
