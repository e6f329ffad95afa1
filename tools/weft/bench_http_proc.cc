// SPDX-License-Identifier: Apache-2.0
// Reading /proc, and the few texts that are looked into.
#include "bench_http_proc.h"

#include <filesystem>
#include <string>

#include "base/text.h"
#include "os/file.h"

namespace weft::tool {

std::vector<pid_t> processes_of_group(pid_t group) {
  std::vector<pid_t> processes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    const auto process = base::to_number<pid_t>(name);
    if (!process) continue;
    const auto stat = os::read_text("/proc/" + name + "/stat");
    if (stat && parse_process_group(*stat) == group) processes.push_back(*process);
  }
  return processes;
}

std::optional<pid_t> parse_process_group(std::string_view stat) {
  // The name is in parentheses and may have anything in it; behind it: state, parent, group.
  const auto end_of_name = stat.rfind(')');
  if (end_of_name == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(end_of_name + 1);
  base::take_field(stat);
  base::take_field(stat);
  return base::to_number<pid_t>(base::take_field(stat));
}

std::optional<double> parse_field(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = base::take_until(text, '\n');
    if (base::take_until(line, ':') == name) return base::to_decimal(base::take_field(line));
  }
  return std::nullopt;
}

std::optional<double> parse_metric(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = base::take_until(text, '\n');
    if (base::take_until(line, ' ') == name) return base::to_decimal(base::take_field(line));
  }
  return std::nullopt;
}

}  // namespace weft::tool
