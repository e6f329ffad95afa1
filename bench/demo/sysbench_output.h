// SPDX-License-Identifier: Apache-2.0
// What `sysbench --histogram` prints at its end. Pure: text in, numbers out.
#pragma once

#include <optional>
#include <string_view>

namespace weft::demo {

struct SysbenchOutput {
  double queries = 0;
  double seconds = 0;
  double p50_milliseconds = 0;
  double p99_milliseconds = 0;
};

// Nothing where a number is missing.
std::optional<SysbenchOutput> parse_sysbench(std::string_view text);

}  // namespace weft::demo
