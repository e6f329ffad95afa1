// SPDX-License-Identifier: Apache-2.0
// What /proc and /metrics tell about a server of several processes.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>
#include <vector>

namespace weft::tool {

// Those that are there now.
std::vector<pid_t> processes_of_group(pid_t group);

// The process group in the text of /proc/PID/stat.
std::optional<pid_t> parse_process_group(std::string_view stat);
// The number of a line such as "Pss:   123 kB" or "Threads:  4".
std::optional<double> parse_field(std::string_view text, std::string_view name);
// The value of a sample without labels in Prometheus' text.
std::optional<double> parse_metric(std::string_view text, std::string_view name);

}  // namespace weft::tool
