// SPDX-License-Identifier: Apache-2.0
// Contenders, run interleaved: A B C, C B A, A B C, …
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/progress.h"

namespace weft::bench {

// Ours or a rival.
struct Contender {
  std::string name;
  std::function<base::Result<double>()> measure;  // runs once and yields its number
};

// Numbers by contender and repetition: samples[contender][repetition].
using Samples = std::vector<std::vector<double>>;

// Runs every contender once unrecorded, to warm up, and then `repeats` times, in an order that
// turns around each time. The first failure ends it; the Error names the contender.
base::Result<Samples> run_interleaved(const std::vector<Contender>& contenders, int repeats,
                                      Progress& progress);

}  // namespace weft::bench
