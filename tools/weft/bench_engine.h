// SPDX-License-Identifier: Apache-2.0
// `weft bench engine`: fibers beside the threads of libc, Boost.Context and Boost.Fiber.
#pragma once

#include "base/result.h"
#include "bench/benchmark.h"

namespace weft::tool {

// Measures each contender in a process of its own (weft-bench-engine), in turn.
base::Result<bench::Report> bench_engine(const bench::Options& options, bench::Progress& progress);

}  // namespace weft::tool
