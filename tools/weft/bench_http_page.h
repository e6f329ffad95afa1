// SPDX-License-Identifier: Apache-2.0
// The report of `weft bench http` as one HTML file with nothing from outside, and no scripts. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/benchmark.h"
#include "bench_http_samples.h"

namespace weft::tool {

// What a reader needs to judge the numbers, and to make them again.
struct HttpPageFacts {
  std::string command;  // that was run
  std::string date;
  std::vector<std::pair<std::string, std::string>> machine{};   // name and value
  std::vector<std::pair<std::string, std::string>> versions{};  // of all programs
  // Of each cell, how its first contender was loaded; in the order of the cells.
  std::vector<std::string> load_commands{};
  // Name and text of the settings that peers ran with.
  std::vector<std::pair<std::string, std::string>> settings{};
};

std::string http_page(const bench::Report& report, const std::vector<HttpSamples>& all,
                      const HttpPageFacts& facts);

}  // namespace weft::tool
