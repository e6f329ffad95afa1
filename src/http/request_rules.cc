// SPDX-License-Identifier: Apache-2.0
// What the fields of a request mean together: host, framing, persistence, expectations.
#include "base/text.h"
#include "http/characters.h"
#include "http/head_parser.h"

namespace weft::http {

bool HeadParser::apply_rules() noexcept {
  if (!apply_host() || !apply_framing()) return false;
  apply_connection();
  return apply_expect();
}

// RFC 9112 3.2: one valid Host in HTTP/1.1, and no second one in any version. The host of an
// absolute target overrides it.
bool HeadParser::apply_host() noexcept {
  const auto host = head_.find(KnownField::host);
  if (!host) {
    if (head_.version_ == Version::http_1_0) return true;
    return fail(400, "no Host"), false;
  }
  if (head_.has_more_than_one(KnownField::host)) return fail(400, "more than one Host"), false;
  if (!is_authority(*host, Port::optional)) return fail(400, "an invalid Host"), false;
  if (head_.authority_.size == 0) head_.authority_ = piece(*host);
  return true;
}

// RFC 9112 6.3, without the leave it gives to repair.
bool HeadParser::apply_framing() noexcept {
  if (head_.has(KnownField::transfer_encoding)) return apply_transfer_encoding();
  if (head_.has(KnownField::content_length)) return apply_content_length();
  return true;
}

bool HeadParser::apply_transfer_encoding() noexcept {
  if (head_.version_ == Version::http_1_0) {
    return fail(400, "Transfer-Encoding in HTTP/1.0"), false;
  }
  if (head_.has(KnownField::content_length)) {
    return fail(400, "both Content-Length and Transfer-Encoding"), false;
  }
  if (head_.has_more_than_one(KnownField::transfer_encoding)) {
    return fail(400, "more than one Transfer-Encoding"), false;
  }
  const std::string_view value = *head_.find(KnownField::transfer_encoding);
  if (equals_ignoring_case(value, "chunked")) {
    head_.chunked_ = true;
    return true;
  }
  std::string_view rest = value;
  bool was_chunked = false;
  while (!rest.empty()) {
    const std::string_view coding = take_element(rest);
    if (was_chunked || !is_token(coding)) return fail(400, "an invalid Transfer-Encoding"), false;
    was_chunked = equals_ignoring_case(coding, "chunked");
  }
  if (!was_chunked || value.ends_with(',')) {
    return fail(400, "the last transfer coding is not chunked"), false;
  }
  return fail(501, "an unknown transfer coding"), false;
}

bool HeadParser::apply_content_length() noexcept {
  if (head_.has_more_than_one(KnownField::content_length)) {
    return fail(400, "more than one Content-Length"), false;
  }
  const std::string_view value = *head_.find(KnownField::content_length);
  const auto length = base::to_number<std::uint64_t>(value);
  if (!length || *length > INT64_MAX) {
    return fail(400, "an invalid Content-Length"), false;
  }
  head_.content_length_ = *length;
  head_.has_content_length_ = true;
  return true;
}

// RFC 9112 9.3: close beats keep-alive.
void HeadParser::apply_connection() noexcept {
  bool says_close = false;
  bool says_keep_alive = false;
  head_.for_each(KnownField::connection, [&](std::string_view rest) {
    while (!rest.empty()) {
      const std::string_view option = take_element(rest);
      says_close = says_close || equals_ignoring_case(option, "close");
      says_keep_alive = says_keep_alive || equals_ignoring_case(option, "keep-alive");
    }
  });
  // Behind a CONNECT that we refuse, a client may send anything.
  if (head_.method_ == Method::connect) says_close = true;
  head_.keep_alive_ = !says_close && (head_.version_ == Version::http_1_1 || says_keep_alive);
}

// RFC 9110 10.1.1: there is one expectation, and HTTP/1.0 does not know it.
bool HeadParser::apply_expect() noexcept {
  if (head_.version_ == Version::http_1_0) return true;
  bool is_known = true;
  head_.for_each(KnownField::expect, [&](std::string_view value) {
    is_known = is_known && equals_ignoring_case(value, "100-continue");
  });
  if (!is_known) return fail(417, "an unknown expectation"), false;
  head_.expects_continue_ = head_.has(KnownField::expect);
  return true;
}

}  // namespace weft::http
