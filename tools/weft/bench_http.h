// SPDX-License-Identifier: Apache-2.0
// `weft bench http`.
#pragma once

#include "bench/benchmark.h"

namespace weft::tool {

base::Result<bench::Report> bench_http(const bench::Options& options, bench::Progress& progress);

}  // namespace weft::tool
