// SPDX-License-Identifier: Apache-2.0
// The request line, then line by line the fields.
#include "http/request_parser.h"

#include <algorithm>

#include "http/characters.h"
#include "http/head_parser.h"

namespace weft::http {
namespace {

constexpr std::size_t longest_method = 32;

}  // namespace

Progress parse_request(std::string_view input, const RequestLimits& limits, RequestHead& head,
                       Refusal& refusal) noexcept {
  return HeadParser(input, limits, head, refusal).parse();
}

Progress HeadParser::parse() noexcept {
  head_.begin_ = input_.data();
  if (head_.fields_begin_ == 0) {
    const Progress progress = parse_request_line();
    if (progress != Progress::complete) return progress;
  }
  const Progress progress = parse_fields();
  if (progress != Progress::complete) return progress;
  head_.size_ = head_.parsed_;
  return apply_rules() ? Progress::complete : Progress::failed;
}

Progress HeadParser::parse_request_line() noexcept {
  std::string_view text = input_;
  // One empty line before it is passed over (RFC 9112 2.2): old clients send one behind a body.
  if (text.starts_with('\r')) {
    if (text.size() == 1) return Progress::need_more;
    if (text[1] != '\n') return fail(400, "CR without LF");
    text.remove_prefix(2);
  }
  const std::size_t most = std::size_t{limits_.request_line_bytes} + 2;
  const bool is_cut = text.size() > most;
  if (is_cut) text = text.substr(0, most);
  const char* const end = text.data() + text.size();
  const auto more = [&] {
    return is_cut ? fail(414, "the request line is too long") : Progress::need_more;
  };

  const char* at = text.data();
  while (at != end && is_of(*at, token_class)) ++at;
  const std::string_view method(text.data(), static_cast<std::size_t>(at - text.data()));
  if (method.size() > longest_method) return fail(501, "the method is too long");
  if (at == end) return more();
  if (*at != ' ' || method.empty()) return fail(400, "a wrong character in the method");
  ++at;

  const char* const target_begin = at;
  while (at != end && is_of(*at, query_class)) ++at;
  if (at == end) return more();
  if (*at != ' ') return fail(400, "a wrong character in the target");
  const std::string_view target(target_begin, static_cast<std::size_t>(at - target_begin));
  ++at;

  const Progress progress = parse_version(at, end);
  if (progress == Progress::need_more) return more();
  if (progress == Progress::failed) return progress;
  head_.method_ = method_of(method);
  head_.method_text_ = piece(method);
  head_.target_ = piece(target);
  if (!set_target(target)) return Progress::failed;
  const std::string_view line_end = "HTTP/1.1\r\n";
  head_.parsed_ = static_cast<std::uint32_t>(at + line_end.size() - input_.data());
  head_.fields_begin_ = head_.parsed_;
  return Progress::complete;
}

// "HTTP/1.1" and the end of the line.
Progress HeadParser::parse_version(const char* at, const char* end) noexcept {
  const std::string_view text(at, static_cast<std::size_t>(end - at));
  const std::string_view name = "HTTP/";
  if (!text.starts_with(name.substr(0, text.size()))) return fail(400, "no version of HTTP");
  const auto digit_or_end = [&](std::size_t i) {
    return text.size() <= i || is_of(text[i], digit_class);
  };
  if (!digit_or_end(5) || (text.size() > 6 && text[6] != '.') || !digit_or_end(7)) {
    return fail(400, "no version of HTTP");
  }
  if (text.size() > 8 && text[8] != '\r') {
    return fail(400, text[8] == '\n' ? std::string_view("a line ends in LF without CR")
                                     : std::string_view("something behind the version of HTTP"));
  }
  if (text.size() > 9 && text[9] != '\n') return fail(400, "CR without LF");
  if (text.size() < 10) return Progress::need_more;
  if (text[5] != '1' || text[7] > '1') return fail(505, "neither HTTP/1.1 nor HTTP/1.0");
  head_.version_ = text[7] == '1' ? Version::http_1_1 : Version::http_1_0;
  return Progress::complete;
}

Progress HeadParser::parse_fields() noexcept {
  const std::size_t most = std::size_t{head_.fields_begin_} + limits_.header_bytes;
  const std::string_view text = input_.substr(0, most);
  FieldLine line;
  for (;;) {
    const Progress progress = read_field_line(text.substr(head_.parsed_), line, refusal_);
    if (progress == Progress::failed) return progress;
    if (progress == Progress::need_more) {
      const bool is_cut = input_.size() > most;
      return is_cut ? fail(431, "the fields take too many bytes") : progress;
    }
    if (!line.name.empty() && !add(line)) return fail(431, "too many fields");
    head_.parsed_ += static_cast<std::uint32_t>(line.size);
    if (line.name.empty()) return Progress::complete;
  }
}

bool HeadParser::add(const FieldLine& line) noexcept {
  const std::size_t index = head_.field_count_;
  if (index >= std::min<std::size_t>(limits_.header_count, RequestHead::most_fields)) return false;
  const KnownField known = known_field(line.name);
  const RequestHead::Piece name = piece(line.name);
  const RequestHead::Piece value = piece(line.value);
  head_.fields_[index] = {name.at, value.at, value.size, static_cast<std::uint16_t>(name.size),
                          known};
  head_.field_count_ = static_cast<std::uint8_t>(index + 1);
  if (known == KnownField::other) return true;
  auto& first = head_.first_[RequestHead::index_of(known)];
  if (first == 0) {
    first = static_cast<std::uint8_t>(index + 1);
  } else {
    head_.repeated_ |= 1U << RequestHead::index_of(known);
  }
  return true;
}

}  // namespace weft::http
