// SPDX-License-Identifier: Apache-2.0
// Which bytes may stand where: the character classes of RFC 9110 and RFC 3986, as one table.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace weft::http {

enum CharacterClass : std::uint8_t {
  token_class = 1,  // RFC 9110 5.6.2
  path_class = 2,   // in the path of a target
  query_class = 4,  // in the query of a target
  host_class = 8,   // in the name of a host
  etag_class = 16,  // inside the quotes of an entity tag
  digit_class = 32,
  hex_class = 64,
  segment_class = 128,  // in a path, as it is and once it is decoded
};

// Of RFC 3986, path and query also take what browsers send as it is: "[]^{|}", and in the query
// "\" and "`" as well.
inline constexpr std::array<std::uint8_t, 256> character_classes = [] {
  std::array<std::uint8_t, 256> classes{};
  const auto add = [&](std::string_view characters, unsigned bits) {
    for (const char each : characters) {
      auto& entry = classes[static_cast<unsigned char>(each)];
      entry = static_cast<std::uint8_t>(entry | bits);
    }
  };
  const std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const std::string_view digits = "0123456789";
  add(letters, token_class | path_class | query_class | host_class);
  add(digits, token_class | path_class | query_class | host_class | digit_class | hex_class);
  add("abcdefABCDEF", hex_class);
  add("!#$%&'*+-.^_`|~", token_class);
  add("-._~", host_class);
  add("-._~!$&'()*+,;=:@/%[]^{|}", path_class | query_class);
  add("?\\`", query_class);
  for (unsigned byte = 0x21; byte < 256; ++byte) {
    if (byte != '"' && byte != 0x7f) {
      classes[byte] = static_cast<std::uint8_t>(classes[byte] | etag_class);
    }
  }
  for (unsigned byte = 0x20; byte < 256; ++byte) {
    if (byte != '%' && byte != '\\' && byte != 0x7f) {
      classes[byte] = static_cast<std::uint8_t>(classes[byte] | segment_class);
    }
  }
  return classes;
}();

constexpr bool is_of(char byte, unsigned classes) noexcept {
  return (character_classes[static_cast<unsigned char>(byte)] & classes) != 0;
}

constexpr bool all_of(std::string_view text, unsigned classes) noexcept {
  for (const char byte : text) {
    if (!is_of(byte, classes)) return false;
  }
  return true;
}

constexpr bool is_token(std::string_view text) noexcept {
  return !text.empty() && all_of(text, token_class);
}

// The value of a digit; precondition: is_of(byte, hex_class).
constexpr unsigned hex_value(char byte) noexcept {
  const auto code = static_cast<unsigned char>(byte);
  return code <= '9' ? code - unsigned{'0'} : (code | 0x20U) - unsigned{'a'} + 10;
}

constexpr char to_lower(char byte) noexcept {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
}

// Whether a text is `lower`, which is in lower case, whatever the case of the text.
constexpr bool equals_ignoring_case(std::string_view text, std::string_view lower) noexcept {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (to_lower(text[i]) != lower[i]) return false;
  }
  return true;
}

// Optional white space of RFC 9110 5.6.3 taken off both ends.
constexpr std::string_view trim_blanks(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes the next element of a comma-separated list (RFC 9110 5.6.1) off the front of `rest`; it may
// be empty. For lists without quoted strings.
constexpr std::string_view take_element(std::string_view& rest) noexcept {
  const auto comma = rest.find(',');
  const std::string_view element = trim_blanks(rest.substr(0, comma));
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  return element;
}

// The first byte from `at` on that no field value may hold: a control character but the tab. Eight
// at a time.
inline const char* find_control(const char* at, const char* end) noexcept {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t each = 0x0101010101010101;
  for (;;) {
    while (end - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t deleted = word ^ (each * 0x7f);
      const std::uint64_t below_space = (word - each * 0x20) & ~word;
      const std::uint64_t is_deleted = (deleted - each) & ~deleted;
      const std::uint64_t found = (below_space | is_deleted) & (each * 0x80);
      if (found != 0) {
        at += std::countr_zero(found) / 8;
        break;
      }
      at += 8;
    }
    while (at != end && static_cast<unsigned char>(*at) >= 0x20 && *at != 0x7f) ++at;
    if (at == end || *at != '\t') return at;
    ++at;
  }
}

}  // namespace weft::http
