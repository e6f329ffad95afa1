// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the known word nearest to a mistyped one.
#include "suggest.h"

#include <algorithm>

namespace weft::tool {

std::size_t edit_distance(std::string_view one, std::string_view other) {
  // Row by row over the letters of `one`; two rows back for a swap of neighbours.
  std::vector<std::size_t> before_last(other.size() + 1);
  std::vector<std::size_t> last(other.size() + 1);
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t column = 0; column <= other.size(); ++column) last[column] = column;
  for (std::size_t line = 1; line <= one.size(); ++line) {
    row[0] = line;
    for (std::size_t column = 1; column <= other.size(); ++column) {
      const std::size_t change = one[line - 1] == other[column - 1] ? 0 : 1;
      row[column] = std::min({last[column] + 1, row[column - 1] + 1, last[column - 1] + change});
      if (line > 1 && column > 1 && one[line - 1] == other[column - 2] &&
          one[line - 2] == other[column - 1]) {
        row[column] = std::min(row[column], before_last[column - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[other.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::size_t best_distance = word.size() / 3 + 1;  // more than that is another word
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance || (distance == best_distance && best == nullptr)) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best != nullptr ? *best : std::string();
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string word_meant = nearest(word, known);
  return word_meant.empty() ? std::string() : " Did you mean '" + word_meant + "'?";
}

}  // namespace weft::tool
