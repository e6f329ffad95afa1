// SPDX-License-Identifier: Apache-2.0
// `weft bench service`.
#pragma once

#include "bench/benchmark.h"

namespace weft::tool {

base::Result<bench::Report> bench_service(const bench::Options& options, bench::Progress& progress);

}  // namespace weft::tool
