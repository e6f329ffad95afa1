// SPDX-License-Identifier: Apache-2.0
// `weft bench budget`: who knows how many CPUs it owns, and what does it cost us to know.
#pragma once

#include "base/result.h"
#include "bench/benchmark.h"

namespace weft::tool {

// Asks weft and its rivals in real nested cgroups, then measures a full read and a watch's refresh.
base::Result<bench::Report> bench_budget(const bench::Options& options, bench::Progress& progress);

}  // namespace weft::tool
