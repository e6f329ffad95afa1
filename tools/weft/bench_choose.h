// SPDX-License-Identifier: Apache-2.0
// choose_cells(): those of a benchmark that were asked for.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bench/benchmark.h"

namespace weft::tool {

// By --only and --quick; the Error names all there are, with the advice behind them.
template <class Cell>
base::Result<std::vector<Cell>> choose_cells(std::vector<Cell> cells, const bench::Options& options,
                                             std::string_view advice = {}) {
  std::vector<Cell> chosen;
  std::string names;
  for (Cell& cell : cells) {
    names += "\n  " + cell.name;
    // What is asked for by name is measured quickly, too.
    const bool is_wanted = cell.name.find(options.only) != std::string::npos;
    if (is_wanted && (!options.quick || !options.only.empty() || cell.is_quick)) {
      chosen.push_back(std::move(cell));
    }
  }
  if (!chosen.empty()) return chosen;
  return base::Error{"nothing of this is chosen by --only '" + options.only + "':" + names +
                     std::string(advice)};
}

}  // namespace weft::tool
