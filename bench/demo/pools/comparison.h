// SPDX-License-Identifier: Apache-2.0
// The same load on pools of different sizes, each in a fresh process, interleaved.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "measurement.h"
#include "sandbox/cgroup.h"
#include "schedule.h"

namespace weft::demo {

struct Pool {
  std::string name;
  // Called in the measuring process, which is in the cgroup.
  std::function<unsigned()> threads;
};

struct ComparisonOptions {
  std::vector<Pool> pools;
  int rounds = 2;                           // each is two repetitions, A B C and C B A
  Load load;                                // its seed is the first repetition's
  const sandbox::Cgroup* cgroup = nullptr;  // none: where we are
};

// runs[pool][repetition]. Repetitions differ in their schedule; within one it is the same for all.
using Runs = std::vector<std::vector<Measurement>>;

// Runs everything and prints a line for each run. An Error where a run failed, or a signal came.
base::Result<Runs> compare(const ComparisonOptions& options);

}  // namespace weft::demo
