// SPDX-License-Identifier: Apache-2.0
// What a report means for the caller.
#include "bench/benchmark.h"

#include <algorithm>

namespace weft::bench {

int exit_code(const Report& report) noexcept {
  if (report.rows.empty()) return exit_could_not_run;  // what was not measured does not hold
  const bool all = std::none_of(report.rows.begin(), report.rows.end(),
                                [](const Row& row) { return row.holds == false; });
  return all ? exit_every_bar_holds : exit_a_bar_does_not_hold;
}

}  // namespace weft::bench
