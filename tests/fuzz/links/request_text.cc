// SPDX-License-Identifier: Apache-2.0
// A request line, fields and a body, each as it should be or not.
#include "links/request_text.h"

#include <algorithm>
#include <string_view>

#include "links/json_text.h"
#include "links/texts.h"

namespace weft::fuzz {
namespace {

constexpr std::string_view methods[] = {"POST", "POST",    "POST", "POST",   "GET",
                                        "GET",  "GET",     "GET",  "DELETE", "DELETE",
                                        "HEAD", "OPTIONS", "PUT",  "PATCH"};
constexpr std::string_view timeouts[] = {"10S", "99999999H", "0n",  "1n",         "1m",  "0S",
                                         "",    "9",         "-1S", "123456789S", "1 S", "1x"};
constexpr std::string_view types[] = {
    "application/json", "Application/JSON; charset=utf-8", "application/json ;a", "text/plain", "",
    "application/jsonp"};
constexpr std::string_view limits[] = {
    "1", "2", "1000", "1001", "0", "-1", "99999999999999999999", "1e1", " 1", "+1", "0x1", ""};
constexpr std::string_view other_fields[] = {"Connection: close",
                                             "Connection: keep-alive",
                                             "Expect: 100-continue",
                                             "Expect: else",
                                             "Cookie: a=b",
                                             "Accept: */*",
                                             "Content-Length: 1",
                                             "Host: b",
                                             "Transfer-Encoding: chunked",
                                             "Upgrade: h2c",
                                             "Content-Encoding: gzip",
                                             "Range: bytes=0-1"};

// "%41" for all but what may stand in a path, for everything, or for nothing.
std::string encoded(Choices& choices, std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const unsigned manner = choices.below(8);
  std::string path;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte > ' ' && byte < 0x7f &&
                          std::string_view("%?#/\\\"<>^`{|}&=+").find(c) == std::string_view::npos;
    if (manner == 7 || (is_plain && manner != 6)) {
      path += c;
    } else {
      path += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return path;
}

std::string query_text(Choices& choices) {
  std::string query;
  for (unsigned left = choices.below(4); left != 0; --left) {
    query += query.empty() ? '?' : '&';
    switch (choices.below(4)) {
      case 0:
        query += "limit=" + encoded(choices, choices.of(limits));
        break;
      case 1:
        query += "prefix=" + encoded(choices, key_text(choices));
        break;
      case 2:
        query += "after=" + encoded(choices, key_text(choices));
        break;
      default:
        query += encoded(choices, hostile_text(choices));
    }
  }
  return query;
}

std::string target_text(Choices& choices, std::string_view method) {
  const unsigned shape = choices.below(16);
  if (shape == 15) return std::string(choices.literal());
  if (shape == 14) return "*";
  if (shape == 13) return "http://h/links/" + encoded(choices, key_text(choices));
  if (shape == 12) return "/" + changed(choices, "links/../a/./b");
  if (method == "POST" && shape < 11) return "/links";
  if (shape < 5) return "/links/" + encoded(choices, key_text(choices));
  if (shape < 9) return "/" + encoded(choices, key_text(choices));
  return "/links" + query_text(choices);
}

std::string field_text(Choices& choices) {
  switch (choices.below(8)) {
    case 0:
    case 1:
      return "Idempotency-Key: " + idempotency_text(choices);
    case 2:
      return "Grpc-Timeout: " + std::string(choices.of(timeouts));
    case 3:
      return "traceparent: " + trace_text(choices);
    case 4:
      return "tracestate: " + trace_text(choices);
    case 5:
      return "X-Request-Id: " + trace_text(choices);
    case 6:
      return std::string(choices.of(other_fields));
    default: {
      const std::string name = changed(choices, "X-Name");
      return name + ":" + hostile_text(choices);
    }
  }
}

// What can be taken for something else, by anybody.
bool is_tame(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

std::string chunked(std::string_view body, std::size_t piece_bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (; !body.empty(); body.remove_prefix(std::min(body.size(), piece_bytes))) {
    const std::string_view piece = body.substr(0, piece_bytes);
    text += {digits[piece.size() / 16 % 16], digits[piece.size() % 16]};
    text.append("\r\n").append(piece).append("\r\n");
  }
  return text + "0\r\n\r\n";
}

}  // namespace

RequestText request_text(Choices& choices) {
  RequestText request;
  request.method = choices.one_in(32) ? changed(choices, "GET") : choices.of(methods);
  request.target = target_text(choices, request.method);
  std::string fields = "Host: h\r\n";
  request.is_proper = std::ranges::find(methods, request.method) != std::end(methods) &&
                      is_tame(request.target) && request.target.starts_with('/') &&
                      request.target.size() < 4000 && request.target.find(' ') == std::string::npos;
  for (unsigned left = choices.below(6); left != 0; --left) {
    const std::string field = field_text(choices);
    const bool is_other = std::ranges::find(other_fields, field) != std::end(other_fields);
    const bool is_named = field.find_first_of(": \t") != 0 && field.find(": ") != std::string::npos;
    request.is_proper = request.is_proper && is_tame(field) && !is_other && is_named &&
                        !field.starts_with("X-Name") && field.size() < 1000;
    fields += field + "\r\n";
  }
  if (request.method == "POST" || choices.one_in(8)) {
    request.body = json_body(choices);
    const std::string_view type =
        choices.one_in(16) ? choices.of(types) : std::string_view("application/json");
    fields.append("Content-Type: ").append(type).append("\r\n");
  }
  request.is_proper = request.is_proper && fields.size() < 8000;
  if (const unsigned piece_bytes = choices.one_in(8) ? 1 + choices.byte() % 200 : 0) {
    request.bytes =
        fields + "Transfer-Encoding: chunked\r\n\r\n" + chunked(request.body, piece_bytes);
  } else if (request.body.empty()) {
    request.bytes = fields + "\r\n";
  } else {
    request.bytes = fields + "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n" +
                    request.body;
  }
  request.bytes = request.method + " " + request.target + " HTTP/1.1\r\n" + request.bytes;
  return request;
}

}  // namespace weft::fuzz
