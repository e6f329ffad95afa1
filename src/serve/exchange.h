// SPDX-License-Identifier: Apache-2.0
// Exchange: the session of one connection with its buffers: whole requests come out, responses go
// in, and bytes to send come out. Any driver can use it, one thread at a time.
//
// Output is a text and, behind it, perhaps a piece of a file. What is pipelined is answered into
// the same text, up to a file or to a good amount of bytes: then the output must go out first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/input_buffer.h"
#include "http/request_head.h"
#include "http/session.h"
#include "serve/response.h"

namespace weft::serve {

// What time it is, as the driver has it.
struct Moment {
  http::TimePoint now;
  std::string_view date;  // that of http/date.h
};

enum class Step : unsigned char {
  read,     // more bytes are needed
  request,  // head() and body() are those of a request; say respond()
  write,    // the output must go out first
  close,    // when all output is out
};

class Exchange {
 public:
  Exchange(const http::SessionLimits& limits, http::TimePoint opened) noexcept
      : session_(limits, opened) {}

  // Room for what is read, and how much of it was.
  std::span<char> room();
  void commit(std::size_t bytes) noexcept { input_.commit(bytes); }
  // The peer will send no more. The next advance() says what follows.
  void end_of_input(const Moment& moment);

  // Goes on as far as it can without more bytes.
  Step advance(const Moment& moment);

  const http::RequestHead& head() const noexcept { return *head_; }
  std::string_view body() const noexcept { return body_; }
  // When advance() said request.
  http::TimePoint asked() const noexcept { return asked_; }

  // Precondition: advance() said request. If it throws, only give_up() is left.
  void respond(const Response& response, const Moment& moment);

  // What is to be sent.
  std::string_view text() const noexcept { return std::string_view(output_).substr(output_sent_); }
  const FilePiece& file() const noexcept { return file_; }
  bool has_output() const noexcept { return output_sent_ != output_.size() || file_.bytes != 0; }
  void text_sent(std::size_t bytes) noexcept {
    output_sent_ += bytes;
    sent_bytes_ += bytes;
  }
  std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }  // ever
  void file_sent(std::size_t bytes) noexcept;
  // Gives back the memory that an idle connection has no use for.
  void rest() noexcept;

  // Says nothing more: close.
  void give_up() noexcept;

  // By when the peer must have sent something; max() for never.
  http::TimePoint deadline() const noexcept { return session_.deadline(); }
  // Where the deadline is over, the next advance() says what follows.
  void expire(const Moment& moment);
  // The response under way, or the next one, is the last.
  void close_soon() noexcept { session_.close_after_response(); }
  bool is_idle() const noexcept {
    return session_.is_idle() && input_.unread().empty() && !has_output();
  }
  // Nothing is left to do but to wait for the next request.
  bool wants_only_to_wait() const noexcept { return is_idle() && !closes_; }

 private:
  // What follows from an event; nothing: go on.
  std::optional<Step> take(const http::Event& event, const Moment& moment);
  void append_head(const Response& response, const http::ResponseFraming& framing,
                   std::string_view date);

  http::Session session_;
  http::InputBuffer input_;
  std::unique_ptr<http::RequestHead> head_;  // none of a connection at rest
  std::string body_;
  std::string output_;
  std::size_t output_sent_ = 0;
  std::uint64_t sent_bytes_ = 0;
  FilePiece file_;
  http::TimePoint asked_{};
  bool closes_ = false;
};

}  // namespace weft::serve
