// SPDX-License-Identifier: Apache-2.0
// Sets of CPUs as the kernel prints them: "ff,ffffffff" and "0-3,8,10-11". Any size.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::budget {

// Bit n says whether CPU n is in the set.
using CpuMask = std::vector<bool>;

// Cpus_allowed of /proc/PID/status: groups of up to eight hexadecimal digits, highest first.
base::Result<CpuMask> parse_cpu_mask(std::string_view text);

// Lists such as /sys/devices/system/cpu/online; at most 2^20 CPUs.
base::Result<CpuMask> parse_cpu_list(std::string_view text);

// How many CPUs are in both; an empty `other` takes nothing away.
unsigned count_common(const CpuMask& mask, const CpuMask& other);

}  // namespace weft::budget
