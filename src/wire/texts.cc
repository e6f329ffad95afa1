// SPDX-License-Identifier: Apache-2.0
// Characters, by their numbers.
#include "wire/texts.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace weft::wire {
namespace {

constexpr std::string_view digits_of_base64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view digits_of_hex = "0123456789ABCDEF";

constexpr std::uint8_t no_digit = 64;

constexpr std::array<std::uint8_t, 256> values_of_base64 = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(no_digit);
  for (std::size_t i = 0; i < digits_of_base64.size(); ++i) {
    values[static_cast<unsigned char>(digits_of_base64[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

bool is_printable(char character) noexcept {
  return character >= ' ' && character <= '~';
}

}  // namespace

std::string percent_encoded(std::string_view text, std::size_t most_bytes) {
  constexpr std::size_t escape_bytes = 3;
  std::string encoded;
  encoded.reserve(std::min(text.size(), most_bytes));
  for (const char character : text) {
    const bool is_plain = is_printable(character) && character != '%';
    if (most_bytes - encoded.size() < (is_plain ? 1 : escape_bytes)) break;
    if (is_plain) {
      encoded += character;
      continue;
    }
    const auto byte = static_cast<unsigned char>(character);
    encoded += '%';
    encoded += digits_of_hex[byte >> 4];
    encoded += digits_of_hex[byte & 15U];
  }
  return encoded;
}

std::string base64_of(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6; count -= 6) text += digits_of_base64[bits >> (count - 6) & 63U];
  }
  if (count != 0) text += digits_of_base64[bits << (6 - count) & 63U];
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  // Signs that fill it up make it a multiple of four, and are two at most.
  if (text.size() % 4 == 0) {
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  }
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    const std::uint8_t value = values_of_base64[static_cast<unsigned char>(digit)];
    if (value == no_digit) return std::nullopt;
    bits = bits << 6 | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xffU);
  }
  return bytes;
}

bool is_binary(std::string_view name) noexcept {
  return name.ends_with("-bin");
}

bool is_grpc_content_type(std::string_view value) noexcept {
  constexpr std::string_view type = "application/grpc";
  if (!value.starts_with(type)) return false;
  value.remove_prefix(type.size());
  return value.empty() || value.front() == '+' || value.front() == ';';
}

bool is_name_of_metadata(std::string_view name) noexcept {
  constexpr std::string_view marks = "_-.";
  if (name.empty() || name.starts_with("grpc-status") || name.starts_with("grpc-message")) {
    return false;
  }
  if (name == "content-type" || name == "te" || name == "connection") return false;
  return std::ranges::all_of(name, [&](char each) {
    return (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9') ||
           marks.find(each) != std::string_view::npos;
  });
}

bool is_value_of_metadata(std::string_view value) noexcept {
  if (value.starts_with(' ') || value.ends_with(' ')) return false;
  return std::ranges::all_of(value, is_printable);
}

}  // namespace weft::wire
