// SPDX-License-Identifier: Apache-2.0
// A pressure file: "some avg10=0.00 avg60=0.00 avg300=0.00 total=0", and a line "full …".
#pragma once

#include <optional>
#include <string_view>

#include <weft/pressure.h>

#include "base/result.h"

namespace weft::budget {

// Old kernels have no `full` line for cpu, irq has no `some` line: each may be missing, not both.
struct StallLines {
  std::optional<Stall> some;
  std::optional<Stall> full;
};

// Passes over lines and keys that it does not know.
base::Result<StallLines> parse_psi(std::string_view text);

}  // namespace weft::budget
