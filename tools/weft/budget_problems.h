// SPDX-License-Identifier: Apache-2.0
// What is wrong with a budget or with the question, in words that say what to do.
#pragma once

#include <ostream>
#include <string>

#include <weft/budget.h>
#include <weft/pressure.h>

namespace weft::tool {

// Why the question cannot be answered at all; empty where it can.
std::string check_query(const budget::Query& query);

// The budget with every text that comes from outside fit to be printed or eval'ed: a cgroup may be
// named, and mounted, like anything at all.
budget::Budget fit_to_print(budget::Budget budget);
budget::Pressure fit_to_print(budget::Pressure pressure);

// Writes a line for everything that kept the answer from being complete. The exit code.
int report_problems(const budget::Budget& budget, std::ostream& errors);

}  // namespace weft::tool
