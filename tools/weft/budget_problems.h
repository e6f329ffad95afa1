// SPDX-License-Identifier: Apache-2.0
// What is wrong with a budget or with the question, in words that say what to do.
#pragma once

#include <ostream>
#include <string>

#include <weft/budget.h>

namespace weft::tool {

// Why the question cannot be answered at all; empty where it can.
std::string check_query(const budget::Query& query);

// Writes a line for everything that kept the answer from being complete. The exit code.
int report_problems(const budget::Budget& budget, std::ostream& errors);

}  // namespace weft::tool
