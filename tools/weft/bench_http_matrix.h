// SPDX-License-Identifier: Apache-2.0
// The matrix handler x arrivals x policy: its cells, and the sums over all of them.
#pragma once

#include <vector>

#include "bench_http_cells.h"
#include "bench_http_samples.h"

namespace weft::tool {

void add_matrix(std::vector<HttpCell>& cells, bool quick);

// For each policy, in the order of its first cell: the sum over the cells of its P99 over the best
// policy's. A cell in which somebody has no run that stands is left out for all. What was refused
// counts in P99 with the time-out: who refuses must not gain by it.
struct HttpMatrixSum {
  std::string policy;
  double sum = 0;
};
struct HttpMatrixSums {
  std::vector<HttpMatrixSum> sums;
  std::size_t cells = 0;
  std::size_t left_out = 0;
};
HttpMatrixSums matrix_sums(const std::vector<HttpSamples>& all);

// Rows and notes about the sums, where the matrix was measured.
void add_matrix_rows(const std::vector<HttpSamples>& all, bench::Report& report);

}  // namespace weft::tool
