// SPDX-License-Identifier: Apache-2.0
// The forms in which a budget is printed.
#pragma once

#include <optional>
#include <string>

#include <weft/budget.h>
#include <weft/pressure.h>

namespace weft::tool {

// The explained page for a person.
std::string budget_page(const budget::Budget& budget, const budget::Pressure& pressure);

// One JSON object, over several lines for a person to read.
std::string budget_json(const budget::Budget& budget, const budget::Pressure& pressure);

// One JSON object on one line, without the candidates: a sample of a watch.
std::string budget_json_line(const budget::Budget& budget, const budget::Pressure& pressure,
                             bool changed);

// Assignments for a shell to eval, each with its reason as a comment.
std::string budget_env(const budget::Budget& budget);

// Follows a budget until it is interrupted, or for `count` looks (0: no end). The exit code.
int watch_budget(const budget::Query& query, bool always_json, int count);

}  // namespace weft::tool
