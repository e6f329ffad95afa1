// SPDX-License-Identifier: Apache-2.0
// A status line and fields, written into memory of the caller's.
#include "http/response_head.h"

#include <array>
#include <charconv>

#include "http/characters.h"
#include "http/status.h"
#include "os/check.h"

namespace weft::http {
namespace {

bool is_value(std::string_view text) {
  const char* const end = text.data() + text.size();
  return find_control(text.data(), end) == end;
}

}  // namespace

void ResponseHead::status(unsigned status) noexcept {
  os::check(status >= 100 && status <= 999, "a status has three digits");
  const std::array<char, 4> digits = {static_cast<char>('0' + status / 100),
                                      static_cast<char>('0' + status / 10 % 10),
                                      static_cast<char>('0' + status % 10), ' '};
  put("HTTP/1.1 ");
  put({digits.data(), digits.size()});
  put(status_text(status));
  put("\r\n");
}

void ResponseHead::field(std::string_view name, std::string_view value) noexcept {
  if (!is_token(name) || !is_value(value)) has_failed_ = true;
  put(name);
  put(": ");
  put(value);
  put("\r\n");
}

void ResponseHead::content_length(std::uint64_t bytes) noexcept {
  std::array<char, 20> digits;
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), bytes).ptr;
  own_field("Content-Length: ", {digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void ResponseHead::framing(const ResponseFraming& framing) noexcept {
  if (framing.content_length) content_length(*framing.content_length);
  if (framing.body == ResponseFraming::Body::chunked) put("Transfer-Encoding: chunked\r\n");
  if (framing.says_close) put("Connection: close\r\n");
  if (framing.says_keep_alive) put("Connection: keep-alive\r\n");
}

bool ResponseHead::finish() noexcept {
  put("\r\n");
  return !has_failed_;
}

std::string error_page(unsigned status, std::string_view constant_reason) {
  const std::string title = std::to_string(status) + ' ' + std::string(status_text(status));
  std::string page = "<!doctype html>\n<title>" + title + "</title>\n<h1>" + title + "</h1>\n";
  if (!constant_reason.empty()) page += "<p>" + escape_html(constant_reason) + ".</p>\n";
  return page;
}

std::string refusal_response(const Refusal& refusal, std::string_view date) {
  const std::string page = error_page(refusal.status, refusal.reason);
  std::array<char, 512> memory;
  ResponseHead head(memory);
  head.status(refusal.status);
  if (!date.empty()) head.own_field("Date: ", date);
  head.own_line("Content-Type: text/html; charset=utf-8\r\n");
  head.content_length(page.size());
  head.own_line("Connection: close\r\n");
  os::check(head.finish(), "the head of a refusal fits");
  return std::string(head.text()) + page;
}

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char byte : text) {
    switch (byte) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += byte;
    }
  }
  return escaped;
}

}  // namespace weft::http
