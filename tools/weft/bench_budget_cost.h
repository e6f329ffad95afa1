// SPDX-License-Identifier: Apache-2.0
// What it costs to know the budget: a full read, and a watch's refresh when nothing has changed.
#pragma once

#include <vector>

#include "base/result.h"
#include "bench/benchmark.h"
#include "sandbox/cgroup.h"

namespace weft::tool {

// Measured in a child process inside `leaf`.
base::Result<std::vector<bench::Row>> budget_cost(const sandbox::Cgroup& leaf,
                                                  const bench::Options& options,
                                                  bench::Progress& progress);

}  // namespace weft::tool
