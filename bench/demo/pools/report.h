// SPDX-License-Identifier: Apache-2.0
// What the runs have shown, as text for people. Pure: numbers in, text out.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "comparison.h"

namespace weft::demo {

// Which of the pools are set against each other.
inline constexpr std::size_t host_pool = 0;
inline constexpr std::size_t budget_pool = 1;

// A line for each pool, all its runs together, and the ratio budget / host: taken within each
// repetition, the median and the smallest and largest.
std::string to_table(const std::vector<std::string>& names, const Runs& runs);

// What one sees, in a few lines that say it the way the numbers came out, good or bad.
std::string explain(const Runs& runs, double quota_cores, std::chrono::milliseconds period);

}  // namespace weft::demo
