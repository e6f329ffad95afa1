// SPDX-License-Identifier: Apache-2.0
// What the runs of one server have shown, as text for people. Pure: numbers in, text out.
#pragma once

#include <string>

#include "trial.h"

namespace weft::demo {

// A row for each figure: the medians of both sides, the ratio weft / native (taken within each
// round, the median of these), and a sentence that says what it means, good or bad.
std::string to_table(const Comparison& comparison);

// Which CPU was the limit, in a line or two.
std::string explain_limit(const Comparison& comparison);

// One run as a line of progress, without the newline.
std::string to_line(const Trial& trial);

}  // namespace weft::demo
