// SPDX-License-Identifier: Apache-2.0
// CPU_LIMIT, as an orchestrator writes it: "2", "1.5" or "1500m".
#pragma once

#include <string_view>

#include "base/result.h"

namespace weft::budget {

// Cores, above 0 and at most 1,000,000. The Error says what is wrong with the text.
base::Result<double> parse_cpu_limit(std::string_view text);

}  // namespace weft::budget
