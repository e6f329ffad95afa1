// SPDX-License-Identifier: Apache-2.0
// Small pieces of text handling that the parsers share.
#include "base/text.h"

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
  for (std::size_t at = 0; at < line.size(); ++at) {
    const auto byte = static_cast<unsigned char>(line[at]);
    const auto next = static_cast<unsigned char>(at + 1 < line.size() ? line[at + 1] : 0);
    const bool is_second_set = byte == 0xc2 && next >= 0x80 && next < 0xa0;  // U+0080 to U+009F
    if (byte < 0x20 || byte == 0x7f || is_second_set) line[at] = '?';
    if (is_second_set) line[at + 1] = '?';
  }
  if (text.size() > longest) line += "...";
  return line;
}

}  // namespace weft::base
