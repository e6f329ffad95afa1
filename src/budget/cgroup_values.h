// SPDX-License-Identifier: Apache-2.0
// The values that cgroup files hold: quotas, limits and counters. Pure parsers.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include <weft/pressure.h>

#include "base/result.h"

namespace weft::budget {

// A limit, or none where the file says that there is none.
using Limit = std::optional<double>;

// v2 cpu.max: "200000 100000", "max 100000" or "max". Cores.
base::Result<Limit> parse_cpu_max(std::string_view text);

// v1 cpu.cfs_quota_us (-1: no limit) and cpu.cfs_period_us. Cores.
base::Result<Limit> parse_cfs_quota(std::string_view quota_text, std::string_view period_text);

// v2 memory.max and memory.high ("max": no limit), v1 memory.limit_in_bytes (2^62 and above mean
// no limit: the kernel writes the largest multiple of the page size). Bytes.
base::Result<Limit> parse_memory_limit(std::string_view text);

// The number behind a key in a file of "key number" lines (memory.stat, cpu.stat, meminfo), without
// the colon that some put behind the key.
std::optional<std::uint64_t> find_counter(std::string_view text, std::string_view key);

// v2 cpu.stat (microseconds) and v1 cpu.stat (nanoseconds); nothing where it counts no periods,
// as where no quota can be set.
std::optional<Throttling> parse_cpu_stat(std::string_view text);

// v2 cpu.max.burst, v1 cpu.cfs_burst_us.
base::Result<std::chrono::microseconds> parse_burst(std::string_view text);

}  // namespace weft::budget
