// SPDX-License-Identifier: Apache-2.0
// Fuzzed: Pressure files.
#include <cmath>

#include "budget/psi.h"

#include "property.h"

namespace weft::fuzz {

void try_input(std::string_view text) {
  const auto lines = budget::parse_psi(text);
  if (!lines) return;
  require(lines->some || lines->full, "one of the two lines was there");
  for (const auto& stall : {lines->some, lines->full}) {
    if (!stall) continue;
    require(std::isfinite(stall->average_10s) && stall->average_10s >= 0, "averages are shares");
    require(stall->total.count() >= 0, "time does not run backwards");
  }
}

}  // namespace weft::fuzz
