// SPDX-License-Identifier: Apache-2.0
// The CPUs that a server and its load are given.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"

namespace weft::trial {

// The first CPUs that we may run on, at most `most` of them.
base::Result<std::vector<int>> allowed_cpus(std::size_t most);

}  // namespace weft::trial
