// SPDX-License-Identifier: Apache-2.0
// Text of values and of messages.
#include "sql/text.h"

#include <cstdint>
#include <string>
#include <variant>

namespace weft::sql {
namespace {

constexpr std::string_view left_out = "…";

// Bytes of the character that begins here; 0: none does.
std::size_t character_bytes(std::string_view text) noexcept {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  if (byte(0) == 0) return 0;
  if (byte(0) < 0x80) return 1;
  const std::size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return 0;
  for (std::size_t index = 1; index < bytes; ++index) {
    if ((byte(index) & 0xC0U) != 0x80) return 0;
  }
  // Longer than need be, a half of a pair of UTF-16, or beyond the last character.
  const bool is_wrong = (byte(0) == 0xE0 && byte(1) < 0xA0) ||
                        (byte(0) == 0xED && byte(1) > 0x9F) ||
                        (byte(0) == 0xF0 && byte(1) < 0x90) || (byte(0) == 0xF4 && byte(1) > 0x8F);
  return is_wrong ? 0 : bytes;
}

}  // namespace

bool is_plain_text(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

void check_text(std::string_view statement, std::span<const Value> parameters) {
  if (!is_plain_text(statement)) {
    throw Error(ErrorKind::misuse, "", "the statement is not UTF-8, or has a NUL byte in it");
  }
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    const auto* const text = std::get_if<std::string>(&parameters[index]);
    if (text == nullptr || is_plain_text(*text)) continue;
    const bool has_nul = text->find('\0') != std::string::npos;
    throw Error(ErrorKind::misuse, "",
                "parameter " + std::to_string(index + 1) +
                    (has_nul ? " is text with a NUL byte in it" : " is text that is not UTF-8") +
                    "; bytes are passed as a Blob");
  }
}

void check_count(std::size_t placeholders, std::size_t parameters) {
  if (placeholders == parameters) return;
  throw Error(ErrorKind::misuse, "",
              "the statement has " + std::to_string(placeholders) + " placeholders and was given " +
                  std::to_string(parameters) + " parameters");
}

std::string without_quoted(std::string_view message) {
  const auto first = message.find_first_of("'\"");
  if (first == std::string_view::npos) return std::string(message);
  const auto last = message.find_last_of("'\"");
  std::string result(message.substr(0, first + 1));
  result += left_out;
  // A message that was cut by the server has no second quotation mark; then all the rest is quoted.
  if (last != first) result += message.substr(last);
  return result;
}

std::string without_duplicate(std::string_view message) {
  constexpr std::string_view before_key = "' for key '";
  const auto key = message.rfind(before_key);
  const auto first = message.find('\'');
  if (key == std::string_view::npos || first >= key) return without_quoted(message);
  return std::string(message.substr(0, first + 1)) + std::string(left_out) +
         std::string(message.substr(key));
}

const char* to_string(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::unavailable:
      return "unavailable";
    case ErrorKind::conflict:
      return "conflict";
    case ErrorKind::constraint:
      return "constraint";
    case ErrorKind::cancelled:
      return "cancelled";
    case ErrorKind::timeout:
      return "timeout";
    case ErrorKind::retriable:
      return "retriable";
    case ErrorKind::syntax:
      return "syntax";
    case ErrorKind::misuse:
      return "misuse";
    case ErrorKind::other:
      return "other";
  }
  return "unknown";
}

}  // namespace weft::sql
