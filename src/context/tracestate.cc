// SPDX-License-Identifier: Apache-2.0
// tracestate: "vendor=opaque,tenant@system=opaque", as W3C Trace Context 3.3 has it.
#include <weft/trace.h>

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t most_members = 32;
constexpr std::size_t longest_key = 256;
constexpr std::size_t longest_tenant = 241;
constexpr std::size_t longest_system = 14;
constexpr std::size_t longest_value = 256;

bool is_letter(char c) noexcept {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_of_key(char c) noexcept {
  return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '*' || c == '/';
}

bool is_name(std::string_view text, std::size_t longest, bool may_begin_with_digit) noexcept {
  if (text.empty() || text.size() > longest) return false;
  const char first = text.front();
  if (!is_letter(first) && !(may_begin_with_digit && is_digit(first))) return false;
  return std::ranges::all_of(text, is_of_key);
}

bool is_key(std::string_view text) noexcept {
  const auto at = text.find('@');
  if (at == std::string_view::npos) return is_name(text, longest_key, false);
  return is_name(text.substr(0, at), longest_tenant, true) &&
         is_name(text.substr(at + 1), longest_system, false);
}

// Printable, without "," and "=". Spaces behind it have been taken off, so it does not end in one.
bool is_value(std::string_view text) noexcept {
  const auto fits = [](char c) { return c >= ' ' && c <= '~' && c != ',' && c != '='; };
  return !text.empty() && text.size() <= longest_value && std::ranges::all_of(text, fits);
}

// Optional white space of HTTP; line ends are none.
std::string_view trim_blanks(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::string checked_tracestate(std::string_view text) {
  std::vector<std::string_view> keys;
  std::string state;
  while (!text.empty()) {
    const std::string_view member = trim_blanks(base::take_until(text, ','));
    if (member.empty()) continue;
    const auto equals = member.find('=');
    if (equals == std::string_view::npos) return {};
    const std::string_view key = member.substr(0, equals);
    const bool is_known = std::ranges::find(keys, key) != keys.end();
    if (is_known || !is_key(key) || !is_value(member.substr(equals + 1))) return {};
    if (keys.size() == most_members) return {};
    keys.push_back(key);
    if (!state.empty()) state += ',';
    state += member;
  }
  return state;
}

}  // namespace weft
