// SPDX-License-Identifier: Apache-2.0
// Where a command's own words end and those of the program that it is given begin.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "command.h"

namespace weft::tool {

// How many of the words, which are those behind the command's name, are the command's own: all up
// to "--", or to the first that is neither an option nor an option's value. What follows is never
// taken for an option of ours.
std::size_t count_own_words(std::span<char* const> words, const std::vector<Option>& options);

}  // namespace weft::tool
