// SPDX-License-Identifier: Apache-2.0
// One run of sysbench: its words, and what it printed as numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::tool {

// The words up to the action; the time is that of a measurement and is added by who measures.
std::vector<std::string> sysbench_words(const std::string& program, const std::string& test,
                                        const std::string& socket, int connections,
                                        const std::string& action);

struct SysbenchResult {
  double transactions_a_second = 0;
  double p99_milliseconds = 0;
};

// The Error quotes the complaint in a text that has no such numbers.
base::Result<SysbenchResult> parse_sysbench(std::string_view output);

}  // namespace weft::tool
