// SPDX-License-Identifier: Apache-2.0
// Cells about what a server can do at most, what idle connections cost, and what adapting costs.
#pragma once

#include <vector>

#include "bench_http_cells.h"

namespace weft::tool {

void add_ceilings(std::vector<HttpCell>& cells, bool quick);
void add_idle(std::vector<HttpCell>& cells, bool quick);
void add_steady(std::vector<HttpCell>& cells, bool quick);
// One cell by two generators.
void add_crosscheck(std::vector<HttpCell>& cells, bool quick);

}  // namespace weft::tool
