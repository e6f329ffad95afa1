// SPDX-License-Identifier: Apache-2.0
// Bytes of whatever origin, as part of a line.
#include <weft/log.h>

#include <array>
#include <cstdint>

namespace weft::log {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

unsigned char byte_at(std::string_view text, std::size_t at) noexcept {
  return static_cast<unsigned char>(text[at]);
}

// How many bytes of valid, printable UTF-8 begin there (RFC 3629; no control characters, nor the
// line and paragraph separators, which some take for line ends); 0: none.
std::size_t printable_at(std::string_view text, std::size_t at) noexcept {
  const unsigned char first = byte_at(text, at);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() - at < size) return 0;
  std::uint32_t code = first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const unsigned char next = byte_at(text, at + i);
    if ((next & 0xc0U) != 0x80) return 0;
    code = code << 6U | (next & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[size] || code > 0x10ffff || is_surrogate) return 0;
  return code < 0xa0 || code == 0x2028 || code == 0x2029 ? 0 : size;
}

void append_hexadecimal(std::string& line, std::string_view prefix, unsigned char byte) {
  line += prefix;
  line += digits[byte >> 4U];
  line += digits[byte & 15U];
}

}  // namespace

void append_printable(std::string& line, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = printable_at(text, at);
    if (size == 0) {
      append_hexadecimal(line, "\\x", byte_at(text, at));
    } else {
      line += text.substr(at, size);
    }
    at += size == 0 ? 1 : size;
  }
}

void append_json(std::string& line, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = printable_at(text, at);
    if (size == 0) {
      append_hexadecimal(line, "\\\\x", byte_at(text, at));
    } else {
      if (text[at] == '"' || text[at] == '\\') line += '\\';
      line += text.substr(at, size);
    }
    at += size == 0 ? 1 : size;
  }
}

}  // namespace weft::log
