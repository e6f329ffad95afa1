// SPDX-License-Identifier: Apache-2.0
// What a process has used, from /proc/PID/stat and the status of each task.
#include "usage.h"

#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/text.h"
#include "os/file.h"

namespace weft::demo {

std::optional<std::uint64_t> parse_cpu_ticks(std::string_view stat) {
  // The name stands in parentheses and may hold any of them: fields count from the last.
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(name_end + 1);
  constexpr int fields_before_user_time = 11;
  for (int field = 0; field < fields_before_user_time; ++field) base::take_field(stat);
  const auto user = base::to_number<std::uint64_t>(base::take_field(stat));
  const auto system = base::to_number<std::uint64_t>(base::take_field(stat));
  if (!user || !system) return std::nullopt;
  return *user + *system;
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

base::Result<Usage> read_usage(pid_t process) {
  const std::string directory = "/proc/" + std::to_string(process);
  const auto stat = os::read_text(directory + "/stat");
  if (!stat) return stat.error();
  const auto ticks = parse_cpu_ticks(*stat);
  if (!ticks) return base::Error{"cannot understand " + directory + "/stat"};
  Usage usage;
  usage.cpu_seconds = static_cast<double>(*ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(directory + "/task", error)) {
    const auto id = base::to_number<pid_t>(task.path().filename().string());
    const auto status = os::read_text(task.path().string() + "/status");
    const auto switches = status ? parse_switches(*status) : std::nullopt;
    if (id && switches) usage.switches[*id] = *switches;  // else it has just ended
  }
  if (error) return base::Error{"cannot list the threads: " + error.message(), error.value()};
  return usage;
}

UsageBetween between(const Usage& before, const Usage& after) {
  UsageBetween used{.cpu_seconds = after.cpu_seconds - before.cpu_seconds,
                    .threads = static_cast<double>(after.switches.size())};
  for (const auto& [id, count] : after.switches) {
    const auto then = before.switches.find(id);
    const std::uint64_t switches = count - (then == before.switches.end() ? 0 : then->second);
    used.switches += static_cast<double>(switches);
    if (switches != 0) used.threads_ran += 1;
  }
  return used;
}

}  // namespace weft::demo
