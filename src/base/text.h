// SPDX-License-Identifier: Apache-2.0
// Small pieces of text handling that the parsers share: lines, fields, whole numbers.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace weft::base {

inline constexpr std::string_view whitespace = " \t\r\n";

constexpr std::string_view trim(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(whitespace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(whitespace) - first + 1);
}

// Takes the text up to `separator` off the front of `rest`, and the separator with it. The last
// piece has no separator behind it; nothing is left when `rest` is empty.
constexpr std::string_view take_until(std::string_view& rest, char separator) noexcept {
  const auto end = rest.find(separator);
  const std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return piece;
}

// Takes the next field off the front of `rest`; fields are separated by any run of white space.
// Empty when there is none.
constexpr std::string_view take_field(std::string_view& rest) noexcept {
  const auto first = rest.find_first_not_of(whitespace);
  if (first == std::string_view::npos) {
    rest = {};
    return {};
  }
  const auto end = rest.find_first_of(whitespace, first);
  const std::string_view field =
      rest.substr(first, end == std::string_view::npos ? end : end - first);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end);
  return field;
}

// The whole text as a number, or nothing: no white space, no trailing text, no overflow.
template <class Number>
std::optional<Number> to_number(std::string_view text, int base = 10) noexcept {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return number;
}

// The whole text as a plain decimal number such as "12" or "0.5", or nothing: no sign, no exponent,
// no "nan" or "inf".
std::optional<double> to_decimal(std::string_view text) noexcept;

// A number as people write it: at most `decimals` digits behind the point, no trailing zeros.
std::string to_text(double number, int decimals = 2);

// Text from outside made fit for one line of output: control characters, which could break the line
// or drive a terminal, become '?', and what is longer than `longest` is cut.
std::string printable(std::string_view text, std::size_t longest = 80);

}  // namespace weft::base
