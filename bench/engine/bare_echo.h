// SPDX-License-Identifier: Apache-2.0
// The echo without threads.
#pragma once

#include <vector>

namespace weft::engine {

// Answers on every connection until all have ended.
void serve_barely(const std::vector<int>& connections);

}  // namespace weft::engine
