// SPDX-License-Identifier: Apache-2.0
// Small pieces of text handling that the parsers share.
#include "base/text.h"

#include <algorithm>
#include <array>

namespace weft::base {

std::optional<double> to_decimal(std::string_view text) noexcept {
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return number;
}

std::string to_text(double number, int decimals) {
  std::array<char, 400> digits{};  // the longest double has 309 digits before the point
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                          std::chars_format::fixed, decimals);
  if (error != std::errc{}) return "?";
  std::string text(digits.data(), end);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string line(text.substr(0, longest));
  std::replace_if(
      line.begin(), line.end(), [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; },
      '?');
  if (text.size() > longest) line += "...";
  return line;
}

}  // namespace weft::base
