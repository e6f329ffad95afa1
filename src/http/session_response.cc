// SPDX-License-Identifier: Apache-2.0
// The side of a session that frames responses (RFC 9112 6 and 9.3).
#include "http/session.h"
#include "os/check.h"

namespace weft::http {
namespace {

bool never_has_body(unsigned status) {
  return status == 204 || status == 304;
}

}  // namespace

bool Session::wants_continue() const noexcept {
  return state_ == State::body && expects_continue_ && !continue_sent_ && !response_begun_ &&
         received_ == 0 && !is_too_large_;
}

bool Session::can_respond() const noexcept {
  const bool has_request =
      state_ == State::body || state_ == State::body_end || state_ == State::waiting;
  return has_request && !response_begun_;
}

ResponseFraming Session::begin_response(unsigned status,
                                        std::optional<std::uint64_t> length) noexcept {
  os::check(can_respond(), "a response without a request, or a second one");
  os::check(status >= 200 && status <= 599, "a final response has a status from 200 to 599");
  if (state_ == State::body) {
    // A client that still waits for leave may or may not send its body, so the next request could
    // not be told from it; and a body that is too long to drain would end the connection anyway.
    if (wants_continue() || left_ > limits_->drain_bytes) closes_ = true;
  }
  response_begun_ = true;

  ResponseFraming framing;
  if (status == 205) length = 0;
  if (status != 204) framing.content_length = length;
  if (is_head_method_ || never_has_body(status)) {
    framing.body = ResponseFraming::Body::none;
  } else if (length) {
    framing.body = ResponseFraming::Body::length;
  } else if (version_ == Version::http_1_1) {
    framing.body = ResponseFraming::Body::chunked;
  } else {
    framing.body = ResponseFraming::Body::until_close;
    closes_ = true;
  }
  framing.says_close = closes_ || !keep_alive_;
  framing.says_keep_alive = !framing.says_close && version_ == Version::http_1_0;
  return framing;
}

bool Session::end_response(TimePoint now) noexcept {
  os::check(response_begun_, "the end of a response that did not begin");
  if (closes_ || !keep_alive_ || state_ == State::closing) {
    state_ = State::closing;
    return false;
  }
  if (state_ == State::body) {
    state_ = State::draining;
  } else {
    begin_idle(now);
  }
  return true;
}

}  // namespace weft::http
