// SPDX-License-Identifier: Apache-2.0
// Heads are parsed as a whole, bodies are skipped in the largest steps there are.
#include "load/response_parser.h"

#include <strings.h>
#include <algorithm>
#include <limits>

#include "base/text.h"

namespace weft::load {
namespace {

constexpr std::size_t most_head_bytes = std::size_t{64} * 1024;
constexpr const char* long_head = "the head is longer than 64 KiB";
constexpr std::string_view blank_line = "\r\n\r\n";

bool is_same(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && strncasecmp(text.data(), lower.data(), lower.size()) == 0;
}

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           marks.find(c) != std::string_view::npos;
  });
}

// No control characters but tabs: a bare CR or LF, or a NUL.
bool is_plain(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

// Whether a list of options, as in "close, TE", holds this one.
bool has_option(std::string_view list, std::string_view lower) {
  while (!list.empty()) {
    if (is_same(base::trim(base::take_until(list, ',')), lower)) return true;
  }
  return false;
}

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

int hex_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void ResponseParser::begin(bool to_head_request) noexcept {
  part_ = Part::head;
  state_ = State::incomplete;
  to_head_request_ = to_head_request;
  keeps_connection_ = false;
  body_bytes_ = 0;
  status_ = 0;
  problem_ = "";
  head_.clear();
}

ResponseParser::State ResponseParser::fail(const char* problem) noexcept {
  problem_ = problem;
  keeps_connection_ = false;
  return state_ = State::malformed;
}

ResponseParser::State ResponseParser::finish() noexcept {
  part_ = Part::done;
  return state_ = State::complete;
}

ResponseParser::State ResponseParser::feed(std::string_view& bytes) {
  while (state_ == State::incomplete && !bytes.empty()) {
    if (part_ == Part::head) {
      take_head(bytes);
    } else {
      take_body(bytes);
    }
  }
  return state_;
}

ResponseParser::State ResponseParser::close() noexcept {
  if (state_ != State::incomplete) return state_;
  keeps_connection_ = false;
  if (part_ == Part::body_until_close) return finish();
  return fail("the connection closed before the end of the answer");
}

ResponseParser::State ResponseParser::take_head(std::string_view& bytes) {
  if (head_.empty()) {
    if (const auto end = bytes.find(blank_line); end != std::string_view::npos) {
      const std::string_view head = bytes.substr(0, end + 2);
      bytes.remove_prefix(end + blank_line.size());
      if (end + blank_line.size() > most_head_bytes) return fail(long_head);
      parse_head(head);
      return state_;
    }
  }
  // The blank line may lie across two pieces: look again at the last three bytes.
  const std::size_t looked_at = head_.size() - std::min<std::size_t>(head_.size(), 3);
  const std::size_t had = head_.size();
  head_ += bytes.substr(0, std::min(bytes.size(), most_head_bytes + 1 - had));
  const auto end = head_.find(blank_line, looked_at);
  if (end == std::string::npos) {
    bytes = {};
    return head_.size() > most_head_bytes ? fail(long_head) : state_;
  }
  if (end + blank_line.size() > most_head_bytes) return fail(long_head);
  bytes.remove_prefix(end + blank_line.size() - had);
  const std::string head = std::move(head_);
  head_.clear();
  parse_head(std::string_view(head).substr(0, end + 2));
  return state_;
}

// Of a head whose lines all end in CR LF, without the blank one.
bool ResponseParser::parse_head(std::string_view head) {
  const auto take_line = [&head] {
    const auto end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    return line;
  };
  if (!parse_status_line(take_line())) return false;
  Fields fields;
  while (!head.empty()) {
    if (!parse_field(take_line(), fields)) return false;
  }
  keeps_connection_ = !fields.says_close && (!is_old_ || fields.says_keep_alive);
  if (status_ == 101) return fail("101: the server changes to another protocol"), false;
  if (status_ < 200) {  // an interim answer: the real one follows
    status_ = 0;
    return true;
  }
  return choose_body(fields);
}

bool ResponseParser::parse_status_line(std::string_view line) {
  const bool is_ours = line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ");
  if (!is_ours) return fail("it does not begin with HTTP/1.1 or HTTP/1.0"), false;
  is_old_ = line[7] == '0';
  const std::string_view digits = line.substr(9, 3);
  const bool is_status = digits.size() == 3 && is_digits(digits) && digits[0] >= '1' &&
                         digits[0] <= '5' && (line.size() == 12 || line[12] == ' ');
  if (!is_status) return fail("the status is not of three digits"), false;
  if (!is_plain(line)) return fail("a control character in the status line"), false;
  status_ = *base::to_number<unsigned>(digits);
  return true;
}

bool ResponseParser::parse_field(std::string_view line, Fields& fields) {
  if (line.starts_with(' ') || line.starts_with('\t')) return fail("a folded field"), false;
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return fail("a field without a colon"), false;
  const std::string_view name = line.substr(0, colon);
  if (!is_token(name)) return fail("the name of a field is no token"), false;
  if (!is_plain(line)) return fail("a control character in a field"), false;
  const std::string_view value = base::trim(line.substr(colon + 1));
  if (is_same(name, "content-length")) {
    const auto length = is_digits(value) ? base::to_number<std::uint64_t>(value) : std::nullopt;
    if (!length) return fail("Content-Length is no number"), false;
    if (fields.has_length && fields.length != *length) {
      return fail("two values of Content-Length"), false;
    }
    fields.has_length = true;
    fields.length = *length;
  } else if (is_same(name, "transfer-encoding")) {
    if (fields.has_transfer_encoding) return fail("two fields Transfer-Encoding"), false;
    fields.has_transfer_encoding = true;
    fields.is_chunked = is_same(value, "chunked");
  } else if (is_same(name, "connection")) {
    fields.says_close = fields.says_close || has_option(value, "close");
    fields.says_keep_alive = fields.says_keep_alive || has_option(value, "keep-alive");
  }
  return true;
}

bool ResponseParser::choose_body(const Fields& fields) {
  if (fields.has_transfer_encoding) {
    if (is_old_) return fail("Transfer-Encoding in HTTP/1.0"), false;
    if (fields.has_length) return fail("Content-Length beside Transfer-Encoding"), false;
    if (!fields.is_chunked) return fail("a Transfer-Encoding other than chunked"), false;
  }
  if (to_head_request_ || status_ == 204 || status_ == 304) return finish(), true;
  if (fields.is_chunked) {
    part_ = Part::chunk_size;
    left_ = 0;
    has_digits_ = false;
  } else if (!fields.has_length) {
    part_ = Part::body_until_close;
    keeps_connection_ = false;
  } else if (fields.length == 0) {
    finish();
  } else {
    part_ = Part::body_by_length;
    left_ = fields.length;
  }
  return true;
}

void ResponseParser::take_counted(std::string_view& bytes, Part next) noexcept {
  const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  bytes.remove_prefix(step);
  left_ -= step;
  body_bytes_ += step;
  if (left_ == 0) part_ = next;
}

ResponseParser::State ResponseParser::take_body(std::string_view& bytes) {
  switch (part_) {
    case Part::body_by_length:
      take_counted(bytes, Part::done);
      if (part_ == Part::done) return finish();
      break;
    case Part::body_until_close:
      body_bytes_ += bytes.size();
      bytes = {};
      break;
    case Part::chunk_data:
      take_counted(bytes, Part::chunk_data_return);
      break;
    case Part::trailer:
      take_trailer(bytes);
      break;
    default: {
      const char byte = bytes.front();
      bytes.remove_prefix(1);
      take_chunk_byte(byte);
    }
  }
  return state_;
}

// What stands around the data of a chunk: "1a;extension CR LF", and CR LF behind it.
bool ResponseParser::take_chunk_byte(char byte) {
  if (part_ == Part::chunk_size) {
    if (const int digit = hex_of(byte); digit >= 0) {
      if (left_ > (std::numeric_limits<std::uint64_t>::max() >> 4)) {
        return fail("the size of a chunk is too large"), false;
      }
      left_ = left_ << 4 | static_cast<std::uint64_t>(digit);
      has_digits_ = true;
      return true;
    }
    if (!has_digits_) return fail("a chunk without a size"), false;
    if (byte == '\r') return part_ = Part::chunk_size_end, true;
    if (byte != ';' && byte != ' ' && byte != '\t')
      return fail("the size of a chunk is no number"), false;
    part_ = Part::chunk_extension;
    return true;
  }
  if (part_ == Part::chunk_extension) {
    if (byte == '\r') return part_ = Part::chunk_size_end, true;
    return is_plain({&byte, 1}) || (fail("a control character behind the size of a chunk"), false);
  }
  if (part_ == Part::chunk_data_return) {
    if (byte != '\r') return fail("a chunk is longer than its size"), false;
    part_ = Part::chunk_data_end;
    return true;
  }
  if (byte != '\n') return fail("a line of a chunk does not end in CR LF"), false;
  if (part_ == Part::chunk_size_end) {
    part_ = left_ == 0 ? Part::trailer : Part::chunk_data;
  } else {
    part_ = Part::chunk_size;
    left_ = 0;
    has_digits_ = false;
  }
  return true;
}

// Lines up to an empty one.
void ResponseParser::take_trailer(std::string_view& bytes) {
  const char byte = bytes.front();
  bytes.remove_prefix(1);
  head_ += byte;
  if (head_.size() > most_head_bytes) {
    fail("the trailer is longer than 64 KiB");
  } else if (head_ == "\r\n") {
    head_.clear();
    finish();
  } else if (head_.ends_with("\r\n")) {
    Fields ignored;
    const std::string line = std::move(head_);
    head_.clear();
    parse_field(std::string_view(line).substr(0, line.size() - 2), ignored);
  }
}

}  // namespace weft::load
