// SPDX-License-Identifier: Apache-2.0
// A budget together with what it was read from, so that a watch can look at the same places again.
#pragma once

#include <string>
#include <vector>

#include <weft/budget.h>

#include "budget/cgroup_view.h"
#include "budget/host.h"

namespace weft::budget {

struct Reading {
  Budget budget;
  Footprint footprint;
};

Reading read_with_footprint(const Query& query);

// The parts of it.
CpuBudget read_cpu(const Host& host, const CgroupView& view, std::vector<std::string>& notes,
                   Footprint& footprint);
MemoryBudget read_memory(const Host& host, const CgroupView& view, std::vector<std::string>& notes,
                         Footprint& footprint);

// How many CPUs the affinity mask has: from the system call here, from /proc on another host.
Candidate read_affinity(const Host& host);

}  // namespace weft::budget
