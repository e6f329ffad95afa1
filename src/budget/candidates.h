// SPDX-License-Identifier: Apache-2.0
// Candidates: how one is made from what was read, and which of them wins. Pure.
#pragma once

#include <string>
#include <vector>

#include <weft/budget.h>

#include "base/result.h"
#include "budget/cgroup_values.h"

namespace weft::budget {

// A candidate from a limit that was read and parsed. `none` is said where it names no limit.
Candidate from_limit(std::string source, std::string where, const base::Result<Limit>& limit,
                     std::string none);

// A candidate from a file that could not be read. `absence` is said where it is just not there.
Candidate from_error(std::string source, std::string where, const base::Error& error,
                     const std::string& absence);

// Gives its verdict to each candidate that has a value: the smallest is chosen, on a tie the first.
// `describe` writes a value for people. Null where none has a value.
const Candidate* choose_smallest(std::vector<Candidate>& candidates,
                                 std::string (*describe)(double value));

}  // namespace weft::budget
