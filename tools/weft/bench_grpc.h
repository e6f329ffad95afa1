// SPDX-License-Identifier: Apache-2.0
// `weft bench grpc`.
#pragma once

#include "bench/benchmark.h"

namespace weft::tool {

base::Result<bench::Report> bench_grpc(const bench::Options& options, bench::Progress& progress);

}  // namespace weft::tool
