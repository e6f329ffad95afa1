// SPDX-License-Identifier: Apache-2.0
// `weft bench mariadb`: MariaDB's server under weft beside itself, natively and with its thread
// pool.
#pragma once

#include "base/result.h"
#include "bench/benchmark.h"

namespace weft::tool {

// Makes servers and tables of its own in a temporary directory, and loads them by sysbench in turn.
base::Result<bench::Report> bench_mariadb(const bench::Options& options, bench::Progress& progress);

}  // namespace weft::tool
