// SPDX-License-Identifier: Apache-2.0
// Session: HTTP/1.1 as one connection speaks it, without sockets, threads or a clock.
//
// Concepts
//   driver    whoever moves the bytes: a reactor, a blocking thread, a fiber, a coroutine. All of
//             them share this state machine, so they cannot differ in what they accept.
//   input     the bytes that were read and not yet consumed, in one piece (input_buffer.h). The
//             driver shows them to next(), does what the event says, takes `consumed` bytes off,
//             and calls again, with no input too, until it is told to read, to respond or to close.
//   head      a RequestHead of the driver's, in use from a request's first byte to its response.
//             Between requests neither it nor the buffer is needed, which keeps an idle connection
//             small.
// The smallest driver is tests/http/fake_server.cc.
//
// One request is answered at a time; pipelined ones wait in the input, and next() says
// response_pending, upon which a driver stops reading: that is the back pressure.
//
//   state     what happens                                            next state
//   idle      a byte comes                                            head
//   head      the head is complete, and a body follows                body
//   head      the head is complete, and none follows                  body_end
//   body_end  the driver is told that the request is complete         waiting
//   body      its end, and the driver is told the same                waiting
//   body      the response ends first                                 draining
//   waiting, body_end   the response ends                             idle, or closing
//   draining  the last byte of the body                               idle, or closing
//   draining  more than is worth reading                              closing
//   head, body          the request is wrong, too large or too slow   closing
//
// Invariants: a refusal is given at most once, never behind a response that has begun, and nothing
// is read after it. Bytes give the same events however they are cut, but for where the pieces of a
// body begin and end.
//
// Rejected: a session that owns its buffer and calls back into the driver. Callbacks fix who waits
// for whom, and a coroutine wants it the other way round than a reactor.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/chunk_decoder.h"
#include "http/pace.h"
#include "http/refusal.h"
#include "http/request_parser.h"

namespace weft::http {

struct SessionLimits {
  RequestLimits request;
  ChunkLimits chunks;
  std::uint64_t body_bytes = 1 << 20;           // more is 413
  std::uint64_t streamed_body_bytes = 1 << 30;  // the same, of what nobody has to hold as a whole
  std::uint64_t drain_bytes = 1 << 16;  // of a body that nobody wants, to keep the connection
  std::chrono::milliseconds head_deadline{10'000};  // from the first byte to the last
  std::chrono::milliseconds idle_deadline{60'000};  // from a response to the next request
  Pace body_pace;
};

struct Event {
  enum class Kind : std::uint8_t {
    need_input,        // read more, or wait until deadline()
    skipped,           // nothing that concerns the driver, such as bytes of a body nobody wants
    head,              // the head is complete; begin_response() may be called from now on
    body,              // `body` is a piece of the request's body, within the input
    complete,          // the request is there as a whole
    response_pending,  // nothing before end_response(); do not read
    refuse,            // send the refusal (response_head.h writes it) and close
    close,             // close, and say nothing
  };
  Kind kind = Kind::need_input;
  std::size_t consumed = 0;
  std::string_view body;
  Refusal refusal;
};

// How a response must be sent.
struct ResponseFraming {
  enum class Body : std::uint8_t { none, length, chunked, until_close };
  Body body = Body::none;
  std::optional<std::uint64_t> content_length;  // the field to write; also where no body goes out
  bool says_close = false;                      // write "Connection: close"
  bool says_keep_alive = false;                 // write "Connection: keep-alive", for HTTP/1.0
};

class Session {
 public:
  // Precondition: the limits outlive the session.
  Session(const SessionLimits& limits, TimePoint opened) noexcept
      : limits_(&limits), since_(opened) {}

  // Takes the next step. Precondition: `input` begins with what was not consumed, and `head` is the
  // one of the last call, unless the session is idle.
  Event next(std::string_view input, RequestHead& head, TimePoint now) noexcept;
  // Says that the peer will send no more.
  Event end_of_input() noexcept;

  // When to call expire(), as long as the driver waits for input; max() for never.
  TimePoint deadline() const noexcept;
  // Gives 408, or a quiet end between requests; need_input before the deadline.
  Event expire(TimePoint now) noexcept;
  // Does not hold it against the peer that the driver did not read for so long.
  void excuse(std::chrono::nanoseconds pause) noexcept;

  // Whether a body follows, of which nothing was read yet.
  bool has_body_ahead() const noexcept { return state_ == State::body && received_ == 0; }
  // Upon the head: the body is not held as a whole, and may be as long as such bodies may.
  void stream_body() noexcept;

  // Whether the client waits for "100 Continue" (continue_line) before it sends the body.
  bool wants_continue() const noexcept;
  void continue_sent() noexcept { continue_sent_ = true; }
  static constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

  // Preconditions: can_respond(); status is not 1xx. No length: it is not known yet.
  bool can_respond() const noexcept;
  ResponseFraming begin_response(unsigned status, std::optional<std::uint64_t> length) noexcept;
  // Says that the response is sent. False: close now. True: go on with next().
  bool end_response(TimePoint now) noexcept;
  // Ends the connection with the response under way or next; when idle it can be closed at once.
  void close_after_response() noexcept { closes_ = true; }

  bool is_idle() const noexcept { return state_ == State::idle; }
  bool is_closing() const noexcept { return state_ == State::closing; }
  std::uint64_t body_bytes_read() const noexcept { return received_; }  // framing included

 private:
  enum class State : std::uint8_t { idle, head, body, body_end, waiting, draining, closing };

  Event refuse(Refusal refusal, std::size_t consumed = 0) noexcept;
  Event close(std::size_t consumed = 0) noexcept;
  Event read_head(std::string_view input, RequestHead& head, TimePoint now) noexcept;
  Event read_body(std::string_view input, TimePoint now) noexcept;
  Event drain(std::string_view input, TimePoint now) noexcept;
  BodyStep body_step(std::string_view input) noexcept;
  void begin_idle(TimePoint now) noexcept;

  const SessionLimits* limits_;
  TimePoint since_;         // when the idling, the head or the body began
  TimePoint last_byte_;     // of the body
  ChunkDecoder chunks_;     // of a chunked body
  std::uint64_t left_ = 0;  // of a body with a length
  std::uint64_t received_ = 0;
  std::uint64_t drained_ = 0;
  State state_ = State::idle;
  Version version_ = Version::http_1_1;
  bool is_first_ = true;  // no request came before
  bool is_chunked_ = false;
  bool is_too_large_ = false;  // the body, unless it is streamed
  bool is_head_method_ = false;
  bool keep_alive_ = true;  // of the request
  bool expects_continue_ = false;
  bool continue_sent_ = false;
  bool response_begun_ = false;
  bool closes_ = false;  // behind this response, whatever the client wants
};
static_assert(sizeof(Session) <= 256, "ten thousand idle connections are to be cheap");

}  // namespace weft::http
