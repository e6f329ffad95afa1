// SPDX-License-Identifier: Apache-2.0
// traceparent: "00-<32 digits>-<16 digits>-<2 digits>", all of them lower-case hexadecimal.
#include <weft/trace.h>

#include <algorithm>
#include <span>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t version_00_size = 55;
constexpr std::string_view digits = "0123456789abcdef";

// False: not as many lower-case digits as there are halves of bytes.
bool read_digits(std::string_view text, std::span<std::uint8_t> bytes) noexcept {
  if (text.size() != 2 * bytes.size()) return false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto high = digits.find(text[2 * i]);
    const auto low = digits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return true;
}

bool is_zero(std::span<const std::uint8_t> bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

void append_digits(std::string& text, std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
}

}  // namespace

std::optional<TraceParent> parse_traceparent(std::string_view text) noexcept {
  if (text.size() < version_00_size) return std::nullopt;
  std::string_view rest = text;
  std::array<std::uint8_t, 1> version{};
  std::array<std::uint8_t, 1> flags{};
  TraceParent parent;
  const bool is_read = read_digits(base::take_until(rest, '-'), version) &&
                       read_digits(base::take_until(rest, '-'), parent.trace) &&
                       read_digits(base::take_until(rest, '-'), parent.span) &&
                       read_digits(rest.substr(0, 2), flags);
  if (!is_read || version[0] == 0xff || is_zero(parent.trace) || is_zero(parent.span)) {
    return std::nullopt;
  }
  const bool has_more = text.size() > version_00_size;
  if (has_more && (version[0] == 0 || text[version_00_size] != '-')) return std::nullopt;
  parent.flags = version[0] == 0 ? flags[0] : flags[0] & 1U;
  return parent;
}

std::string to_text(const TraceParent& parent) {
  std::string text = "00-";
  text.reserve(version_00_size);
  append_digits(text, parent.trace);
  text += '-';
  append_digits(text, parent.span);
  text += '-';
  append_digits(text, std::span(&parent.flags, 1));
  return text;
}

}  // namespace weft
