// SPDX-License-Identifier: Apache-2.0
// Exchange: the session of one connection with its buffers: whole requests come out, responses go
// in, and bytes to send come out. Any driver can use it, one thread at a time.
//
// Output is a text and, behind it, perhaps a piece of a file. What is pipelined is answered into
// the same text, up to a file or to a good amount of bytes: then the output must go out first.
// A body that is streamed is asked for a piece at a time, each when the one before is out.
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
#include "serve/access_trail.h"
#include "serve/body_memory.h"
#include "serve/counters.h"
#include "serve/response.h"
#include "serve/site.h"

namespace weft::serve {

// What time it is, as the driver has it.
struct Moment {
  http::TimePoint now;
  std::string_view date;  // that of http/date.h
};

enum class Step : unsigned char {
  read,     // more bytes are needed
  request,  // head() and body() are those of a request, or the body is streamed; say respond()
  work,     // a streamed body goes on: say go_on_with() (answering.h), where it may wait
  write,    // the output must go out first
  close,    // when all output is out
};

class Exchange {
 public:
  // The site says whose body is streamed; without one, nobody's is. Bodies are held in the memory.
  // What is refused here, and no handler hears of, is counted here.
  Exchange(const http::SessionLimits& limits, http::TimePoint opened, Site* site = nullptr,
           BodyMemory* memory = nullptr, Counters* counters = nullptr) noexcept
      : session_(limits, opened),
        site_(site),
        memory_(memory),
        counters_(counters),
        body_(memory) {}

  // Tells the log of each response; none: nobody. It outlives the exchange.
  void log_to(AccessLog* log, std::string_view peer, bool is_encrypted) {
    if (log != nullptr) trail_ = std::make_unique<AccessTrail>(*log, peer, is_encrypted);
  }
  // For the log: a worker begins, now.
  void handler_starts() noexcept {
    if (trail_ != nullptr) trail_->handler_starts();
  }

  // Room for what is read, and how much of it was.
  std::span<char> room();
  void commit(std::size_t bytes) noexcept { input_.commit(bytes); }
  // The peer will send no more. The next advance() says what follows.
  void end_of_input(const Moment& moment);

  // Goes on as far as it can without more bytes.
  Step advance(const Moment& moment);

  const http::RequestHead& head() const noexcept { return *head_; }
  std::string_view body() const noexcept { return body_.text(); }
  // When all of the request was there, or what of it the handler waits for.
  http::TimePoint asked() const noexcept { return asked_; }

  // Precondition: advance() said request, or feed() false. If it throws, only give_up() is left.
  void respond(const Response& response, const Moment& moment);

  // A streamed body is under way, and the handler's part of it is not over.
  bool is_streaming() const noexcept { return source_ != nullptr || sink_ != nullptr; }
  bool is_sending() const noexcept { return source_ != nullptr; }
  // Asks for the next piece. Precondition: advance() said work. False: that was all, say
  // end_body(). If it throws, only give_up() is left.
  bool produce();
  void end_body(const Moment& moment);
  // Gives the sink what there is. Precondition: advance() said work. True: more is to come, say
  // resume(). False: let sink() answer, and respond().
  bool feed();
  void resume(const Moment& moment) noexcept;
  BodySink& sink() noexcept { return *sink_; }
  // The peer would take the end of the connection for the end of a body that is not whole.
  bool must_reset() const noexcept {
    return is_delimited_by_close_ && (is_cut_ || source_ != nullptr || has_output());
  }

  // What is to be sent.
  std::string_view text() const noexcept { return std::string_view(output_).substr(output_sent_); }
  const FilePiece& file() const noexcept { return file_; }
  bool has_output() const noexcept { return output_sent_ != output_.size() || file_.bytes != 0; }
  void text_sent(std::size_t bytes) noexcept {
    output_sent_ += bytes;
    sent_bytes_ += bytes;
    if (trail_ != nullptr) trail_->sent(sent_bytes_);
  }
  std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }  // ever
  void file_sent(std::size_t bytes) noexcept;
  // Gives back the memory that an idle connection has no use for.
  void rest() noexcept;

  // Says nothing more: close.
  void give_up() noexcept;

  // By when the peer must have sent something; max() for never.
  http::TimePoint deadline() const noexcept {
    return paused_since_ == http::TimePoint::max() ? session_.deadline() : http::TimePoint::max();
  }
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
  std::optional<Step> take_head(const Moment& moment);
  void give_leave_to_send();
  Step refuse_for_memory(const Moment& moment);
  // What the peer sends is not read for a while, which is not the peer's fault.
  Step pause(Step step, const Moment& moment) noexcept;
  // Where what is appended next will stand among all bytes that are ever sent.
  std::uint64_t end_of_output() const noexcept {
    return sent_bytes_ + (output_.size() - output_sent_) + file_.bytes;
  }
  void log_refusal(unsigned status, std::uint64_t begins_at);
  void append_head(const Response& response, const http::ResponseFraming& framing,
                   std::string_view date);
  void end_response(const Moment& moment);

  http::Session session_;
  Site* const site_;
  BodyMemory* const memory_;
  Counters* const counters_;
  http::InputBuffer input_;
  std::unique_ptr<http::RequestHead> head_;  // none of a connection at rest
  BodyBuffer body_;
  std::string output_;
  std::size_t output_sent_ = 0;
  std::uint64_t sent_bytes_ = 0;
  FilePiece file_;
  http::TimePoint asked_{};
  std::shared_ptr<BodySource> source_;  // of the response under way
  std::shared_ptr<BodySink> sink_;      // of the request under way
  http::TimePoint paused_since_ = http::TimePoint::max();
  bool is_body_whole_ = false;
  bool closes_ = false;
  std::unique_ptr<AccessTrail> trail_;  // none: nothing is logged
  bool is_chunked_ = false;             // the response under way
  bool is_delimited_by_close_ = false;  // the last response
  bool is_cut_ = false;
};

}  // namespace weft::serve
