// SPDX-License-Identifier: Apache-2.0
// Measuring in a process of its own, which may enter a cgroup, change its affinity or be traced
// and leaves nothing of it behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"

namespace weft::bench {

// What a child measured: lists of numbers, in an order that the caller and the body agree on.
using Numbers = std::vector<std::vector<double>>;
using Body = std::function<base::Result<Numbers>()>;

// Forks, runs `body` in the child, and gives what it gave. A child that dies is an Error. To be
// called while there is no other thread.
base::Result<Numbers> run_in_child(const Body& body);

// System calls of each section that the body marked, in their order.
struct TracedNumbers {
  Numbers numbers;
  std::vector<std::uint64_t> system_calls;
};

// As run_in_child(), with every system call of the child really counted, by ptrace. The body marks
// what is to be counted; calls that need no entry into the kernel (vDSO) are not counted, as they
// cost none. Only the calling thread of the child is counted.
base::Result<TracedNumbers> count_system_calls(const Body& body);

// Begin and end of a section, for the body of count_system_calls(); harmless elsewhere.
void begin_section() noexcept;
void end_section() noexcept;

}  // namespace weft::bench
