// SPDX-License-Identifier: Apache-2.0
// ResponseHead: a status line and fields, written into memory of the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "http/refusal.h"
#include "http/session.h"

namespace weft::http {

// Writes status(), then fields, then finish(). What does not fit, and a name or value that would
// break out of its line (CR, LF or another control character), makes the head fail as a whole:
// finish() is false, and nothing of it may be sent.
class ResponseHead {
 public:
  explicit ResponseHead(std::span<char> memory) noexcept
      : begin_(memory.data()), at_(memory.data()), end_(memory.data() + memory.size()) {}

  // Precondition: from 100 to 999.
  void status(unsigned status) noexcept;
  void field(std::string_view name, std::string_view value) noexcept;
  // What is ours is not checked: a whole line, "Server: weft\r\n", or the beginning of one, "Date:
  // ", and its value.
  void own_line(std::string_view line) noexcept { put(line); }
  void own_field(std::string_view name_and_colon, std::string_view value) noexcept {
    put(name_and_colon);
    put(value);
    put("\r\n");
  }
  void content_length(std::uint64_t bytes) noexcept;
  // Content-Length, Transfer-Encoding and Connection, as the session wants them.
  void framing(const ResponseFraming& framing) noexcept;
  [[nodiscard]] bool finish() noexcept;

  std::string_view text() const noexcept {
    return {begin_, static_cast<std::size_t>(at_ - begin_)};
  }

 private:
  void put(std::string_view text) noexcept {
    if (static_cast<std::size_t>(end_ - at_) < text.size()) {
      has_failed_ = true;
      return;
    }
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }

  char* begin_;
  char* at_;
  char* end_;
  bool has_failed_ = false;
};

// A short page that says what the status means, of constant text alone.
std::string error_page(unsigned status, std::string_view constant_reason);

// The whole response to a refusal, which ends with the connection. Of HEAD too: the method of what
// was refused may not be known, and nothing follows. `date` is that of date.h.
std::string refusal_response(const Refusal& refusal, std::string_view date);

// Text from outside made fit to stand in HTML, also within quotes.
std::string escape_html(std::string_view text);

}  // namespace weft::http
