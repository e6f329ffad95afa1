// SPDX-License-Identifier: Apache-2.0
// The rules.
#include "rules.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "failure.h"

namespace links {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw Failure(Problem::invalid, text);
}

constexpr bool is_letter_or_digit(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

constexpr bool is_beyond_ascii(char c) noexcept {
  return static_cast<unsigned char>(c) >= 0x80;
}

// Of a key that begins, or is whole.
bool is_key_text(std::string_view text) noexcept {
  return text.size() <= longest_key && std::ranges::all_of(text, [](char c) {
           return is_letter_or_digit(c) || c == '_' || c == '-';
         });
}

// Takes the scheme and "://" away from the front.
bool take_scheme(std::string_view& url) noexcept {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (url.size() < scheme.size()) continue;
    const bool is_it = std::ranges::equal(url.substr(0, scheme.size()), scheme, [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
    if (!is_it) continue;
    url.remove_prefix(scheme.size());
    return true;
  }
  return false;
}

void check_port(std::string_view port) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() || number == 0 || number > 65535) {
    refuse("url: the port is not a number from 1 to 65535");
  }
}

void check_host(std::string_view host) {
  if (host.empty()) refuse("url: there is no host after the scheme");
  if (host.size() > 253) refuse("url: a host has at most 253 bytes");
  const bool is_address = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const std::string_view inner = is_address ? host.substr(1, host.size() - 2) : host;
  const bool is_good = std::ranges::all_of(inner, [is_address](char c) {
    return is_letter_or_digit(c) || c == '.' || (is_address ? c == ':' : c == '-' || c == '_') ||
           (!is_address && is_beyond_ascii(c));
  });
  if (!is_good) refuse("url: the host has characters in it that no host has");
}

void check_authority(std::string_view authority) {
  if (authority.find('@') != std::string_view::npos) {
    refuse("url: a user or password before the host is not taken");
  }
  // The colons of an address of IPv6 are within its brackets.
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon =
      authority.find(':', bracket == std::string_view::npos ? 0 : bracket + 1);
  if (colon != std::string_view::npos) {
    check_port(authority.substr(colon + 1));
    authority = authority.substr(0, colon);
  }
  check_host(authority);
}

// How many bytes the character at the front has; 0: it is none.
std::size_t character_bytes(std::string_view text) noexcept {
  const auto byte = [&](std::size_t index) {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U;
  };
  const auto follows = [&](std::size_t index) { return (byte(index) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool is_overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool is_surrogate = first == 0xED && byte(1) > 0x9F;
    return follows(1) && follows(2) && !is_overlong && !is_surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool is_overlong = first == 0xF0 && byte(1) < 0x90;
    const bool is_beyond = first == 0xF4 && byte(1) > 0x8F;
    return follows(1) && follows(2) && follows(3) && !is_overlong && !is_beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

bool is_key(std::string_view text) noexcept {
  return !text.empty() && is_key_text(text);
}

void check_url(std::string_view url) {
  if (url.size() > longest_url) refuse("url: it has more than 2048 bytes");
  if (!is_utf8(url)) refuse("url: it is not UTF-8");
  const bool has_bad_character = std::ranges::any_of(url, [](char c) {
    return (static_cast<unsigned char>(c) <= 0x20) || c == 0x7F ||
           std::string_view("\"<>\\^`{|}").find(c) != std::string_view::npos;
  });
  // U+0080 to U+009F are control characters, too; U+2028 and U+2029 end lines in some places.
  const bool has_control = [&] {
    for (std::size_t at = 0; at + 1 < url.size(); ++at) {
      if (url[at] == '\xC2' && static_cast<unsigned char>(url[at + 1]) < 0xA0) return true;
    }
    return url.find("\xE2\x80\xA8") != std::string_view::npos ||
           url.find("\xE2\x80\xA9") != std::string_view::npos;
  }();
  if (has_bad_character || has_control) {
    refuse("url: spaces, control characters and \"<>\\^`{|} have to be percent-encoded");
  }
  if (!take_scheme(url)) refuse("url: it does not begin with http:// or https://");
  check_authority(url.substr(0, url.find_first_of("/?#")));
}

void check_chosen_key(std::string_view key) {
  if (!is_key(key)) refuse("key: it is not 1 to 64 of A-Z, a-z, 0-9, _ and -");
  if (key == "links") refuse("key: 'links' is a path of the service itself");
}

void check_expiry(std::int64_t seconds) {
  if (seconds < 1 || seconds > longest_expiry_s) {
    refuse("expires_in_s: it is not from 1 to " + std::to_string(longest_expiry_s));
  }
}

void check_idempotency_key(std::string_view key) {
  const bool is_visible = std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7F; });
  if (key.empty() || key.size() > longest_idempotency_key || !is_visible) {
    refuse("the idempotency key is not 1 to 128 visible characters of ASCII");
  }
}

void check_page(std::string_view prefix, std::string_view after, std::int64_t limit) {
  if (!is_key_text(prefix)) refuse("prefix: no key begins like this");
  if (!is_key_text(after)) refuse("after: it is no key");
  if (limit < 1 || limit > longest_page) {
    refuse("limit: it is not from 1 to " + std::to_string(longest_page));
  }
}

}  // namespace links
