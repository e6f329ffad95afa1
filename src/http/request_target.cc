// SPDX-License-Identifier: Apache-2.0
// The four forms of a request target (RFC 9112 3.2).
#include "base/text.h"
#include "http/characters.h"
#include "http/head_parser.h"

namespace weft::http {
namespace {

// Whether each "%" is followed by two hexadecimal digits.
bool has_whole_escapes(std::string_view path) {
  for (auto at = path.find('%'); at != std::string_view::npos; at = path.find('%', at + 1)) {
    if (path.size() - at < 3 || !is_of(path[at + 1], hex_class) || !is_of(path[at + 2], hex_class))
      return false;
  }
  return true;
}

// What is between the brackets of "[::1]": digits, colons, and dots of an IPv4 address. Whether it
// is an address is for who looks it up.
bool is_address_in_brackets(std::string_view text) {
  if (text.size() < 2 || text.size() > 45) return false;
  for (const char byte : text) {
    if (!is_of(byte, hex_class) && byte != ':' && byte != '.') return false;
  }
  return text.find(':') != std::string_view::npos;
}

}  // namespace

bool is_authority(std::string_view text, Port port) noexcept {
  std::string_view host = text;
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos || !is_address_in_brackets(text.substr(1, close - 1))) {
      return false;
    }
    rest = text.substr(close + 1);
  } else {
    const auto colon = text.find(':');
    host = text.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon);
    if (host.empty() || host.size() > 255 || !all_of(host, host_class)) return false;
  }
  if (rest.empty()) return port == Port::optional;
  if (rest.front() != ':') return false;
  rest.remove_prefix(1);
  if (rest.empty()) return port == Port::optional;  // RFC 3986 3.2.3 lets a port be empty
  return all_of(rest, digit_class) && base::to_number<std::uint16_t>(rest).has_value();
}

bool HeadParser::set_target(std::string_view target) noexcept {
  if (head_.method_ == Method::connect) {
    head_.form_ = TargetForm::authority;
    head_.authority_ = piece(target);
    if (is_authority(target, Port::required)) return true;
    return fail(400, "CONNECT takes a host and a port"), false;
  }
  if (target.starts_with('/')) {
    head_.form_ = TargetForm::origin;
    return set_path_and_query(target);
  }
  if (target == "*") {
    head_.form_ = TargetForm::asterisk;
    if (head_.method_ == Method::options) return true;
    return fail(400, "the target * is for OPTIONS alone"), false;
  }
  return set_absolute(target);
}

bool HeadParser::set_absolute(std::string_view target) noexcept {
  head_.form_ = TargetForm::absolute;
  std::string_view rest = target;
  if (equals_ignoring_case(rest.substr(0, 7), "http://")) {
    rest.remove_prefix(7);
  } else if (equals_ignoring_case(rest.substr(0, 8), "https://")) {
    rest.remove_prefix(8);
  } else {
    return fail(400, "the target is neither a path nor an http URI"), false;
  }
  const auto end = rest.find_first_of("/?");
  const std::string_view authority = rest.substr(0, end);
  head_.authority_ = piece(authority);
  if (!is_authority(authority, Port::optional)) {
    return fail(400, "the target names no valid host"), false;
  }
  rest.remove_prefix(authority.size());
  return set_path_and_query(rest);
}

bool HeadParser::set_path_and_query(std::string_view text) noexcept {
  head_.path_and_query_ = piece(text);
  const std::string_view path = text.substr(0, text.find('?'));
  if (!all_of(path, path_class)) return fail(400, "a wrong character in the path"), false;
  if (!has_whole_escapes(path)) return fail(400, "a broken escape in the path"), false;
  return true;
}

}  // namespace weft::http
