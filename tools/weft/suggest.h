// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the known word nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::tool {

// How many letters must be changed, added, dropped or swapped with their neighbour.
std::size_t edit_distance(std::string_view one, std::string_view other);

// The nearest of the known words, or empty where none is near enough to be meant.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// " Did you mean 'X'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace weft::tool
