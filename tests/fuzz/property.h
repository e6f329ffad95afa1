// SPDX-License-Identifier: Apache-2.0
// What a fuzzed parser is held to: each file beside this one defines try_input() for one parser.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace weft::fuzz {

// Parses the text and requires what must be true of any answer.
void try_input(std::string_view text);

// What was asked and answered last, for people who look at a finding; or nothing.
inline std::string under_way;

// Ends the program where a property does not hold, so that the fuzzer keeps the input.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::fwrite(under_way.data(), 1, under_way.size(), stderr);
  std::abort();
}

}  // namespace weft::fuzz
