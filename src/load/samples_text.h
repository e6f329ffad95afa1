// SPDX-License-Identifier: Apache-2.0
// Samples as CSV, for whoever looks at a run afterwards.
#pragma once

#include <string>
#include <vector>

#include "load/sample.h"
#include "load/schedule.h"

namespace weft::load {

// A line of names, and one for each sample; times in seconds.
std::string samples_text(const std::vector<Sample>& samples, const std::vector<Phase>& phases);

}  // namespace weft::load
