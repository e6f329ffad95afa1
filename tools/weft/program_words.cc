// SPDX-License-Identifier: Apache-2.0
// Where a command's own words end.
#include "program_words.h"

#include <algorithm>
#include <string_view>

namespace weft::tool {

std::size_t count_own_words(std::span<char* const> words, const std::vector<Option>& options) {
  const auto takes_next_word = [&](std::string_view word) {
    return std::any_of(options.begin(), options.end(), [&](const Option& option) {
      return option.name == word && !std::holds_alternative<bool*>(option.target);
    });
  };
  std::size_t count = 0;
  while (count < words.size()) {
    const std::string_view word = words[count];
    if (word == "--" || !word.starts_with("-") || word == "-") break;
    count += takes_next_word(word) ? 2 : 1;
  }
  return std::min(count, words.size());
}

}  // namespace weft::tool
