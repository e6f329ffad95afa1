// SPDX-License-Identifier: Apache-2.0
// Records: an input as a sequence of requests. Each is its length in two bytes, and so many bytes
// of choices; what is cut off is as long as it is. So a mutator can repeat, move and leave out
// whole requests, and what it does to one leaves the others as they were.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::fuzz {

inline constexpr std::size_t most_records = 12;

inline std::vector<std::string> read_records(std::string_view input) {
  std::vector<std::string> records;
  while (input.size() >= 2 && records.size() < most_records) {
    const std::size_t bytes = static_cast<unsigned char>(input[0]) * std::size_t{256} +
                              static_cast<unsigned char>(input[1]);
    records.emplace_back(input.substr(2, bytes));
    input.remove_prefix(2 + records.back().size());
  }
  return records;
}

inline std::string write_records(const std::vector<std::string>& records) {
  std::string text;
  for (const std::string& record : records) {
    text += static_cast<char>(record.size() / 256 % 256);
    text += static_cast<char>(record.size() % 256);
    text += record;
  }
  return text;
}

}  // namespace weft::fuzz
