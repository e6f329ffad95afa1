// SPDX-License-Identifier: Apache-2.0
// The side of a session that reads requests, and its deadlines.
#include "http/session.h"

#include <algorithm>

#include "http/body_framing.h"

namespace weft::http {

using Kind = Event::Kind;

Event Session::next(std::string_view input, RequestHead& head, TimePoint now) noexcept {
  switch (state_) {
    case State::idle:
      if (input.empty()) return {};
      head.reset();
      if (!is_first_) since_ = now;
      state_ = State::head;
      [[fallthrough]];
    case State::head:
      return read_head(input, head, now);
    case State::body:
      return read_body(input, now);
    case State::body_end:
      state_ = State::waiting;
      return {Kind::complete, 0, {}, {}};
    case State::waiting:
      return {Kind::response_pending, 0, {}, {}};
    case State::draining:
      return drain(input, now);
    case State::closing:
      break;
  }
  return close();
}

Event Session::refuse(Refusal refusal, std::size_t consumed) noexcept {
  if (response_begun_) return close(consumed);  // a second response would be taken for the next
  state_ = State::closing;
  return {Kind::refuse, consumed, {}, refusal};
}

Event Session::close(std::size_t consumed) noexcept {
  state_ = State::closing;
  return {Kind::close, consumed, {}, {}};
}

Event Session::read_head(std::string_view input, RequestHead& head, TimePoint now) noexcept {
  Refusal refusal;
  const Progress progress = parse_request(input, limits_->request, head, refusal);
  if (progress == Progress::need_more) return {};
  is_first_ = false;
  if (progress == Progress::failed) return refuse(refusal);

  const BodyFraming framing = body_framing(head, limits_->body_bytes);
  if (framing.length > std::max(limits_->body_bytes, limits_->streamed_body_bytes)) {
    return refuse({413, "the body is too large"});
  }
  is_too_large_ = framing.is_too_large;
  is_chunked_ = framing.kind == BodyFraming::Kind::chunked;
  if (is_chunked_) chunks_ = ChunkDecoder(limits_->body_bytes);
  left_ = framing.length;
  received_ = drained_ = 0;
  since_ = last_byte_ = now;
  version_ = head.version();
  is_head_method_ = head.method() == Method::head;
  keep_alive_ = head.keep_alive();
  const bool has_body = framing.kind != BodyFraming::Kind::none;
  expects_continue_ = has_body && head.expects_continue();
  continue_sent_ = response_begun_ = false;
  state_ = has_body ? State::body : State::body_end;
  return {Kind::head, head.size(), {}, {}};
}

void Session::stream_body() noexcept {
  is_too_large_ = left_ > limits_->streamed_body_bytes;
  if (is_chunked_) chunks_ = ChunkDecoder(limits_->streamed_body_bytes);
}

BodyStep Session::body_step(std::string_view input) noexcept {
  if (is_chunked_) return chunks_.next(input, limits_->chunks);
  if (left_ == 0) return {BodyStep::Kind::end, 0, {}, {}};
  if (input.empty()) return {};
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size()));
  left_ -= size;
  return {BodyStep::Kind::data, size, input.substr(0, size), {}};
}

Event Session::read_body(std::string_view input, TimePoint now) noexcept {
  if (is_too_large_) return refuse({413, "the body is too large"});
  const BodyStep step = body_step(input);
  received_ += step.consumed;
  if (step.consumed > 0) last_byte_ = now;
  switch (step.kind) {
    case BodyStep::Kind::need_more:
      return {step.consumed > 0 ? Kind::skipped : Kind::need_input, step.consumed, {}, {}};
    case BodyStep::Kind::data:
      return {Kind::body, step.consumed, step.data, {}};
    case BodyStep::Kind::end:
      state_ = State::waiting;
      return {Kind::complete, step.consumed, {}, {}};
    case BodyStep::Kind::failed:
      break;
  }
  return refuse(step.refusal, step.consumed);
}

// Reads on behind a response, so that the connection can be kept.
Event Session::drain(std::string_view input, TimePoint now) noexcept {
  const Event event = read_body(input, now);
  drained_ += event.consumed;
  if (event.kind == Kind::close || drained_ > limits_->drain_bytes) return close(event.consumed);
  if (event.kind == Kind::complete) {
    if (closes_) return close(event.consumed);
    begin_idle(now);
    return {Kind::skipped, event.consumed, {}, {}};
  }
  return {event.consumed > 0 ? Kind::skipped : Kind::need_input, event.consumed, {}, {}};
}

Event Session::end_of_input() noexcept {
  if (state_ != State::waiting && state_ != State::body_end) return close();
  keep_alive_ = false;  // the response can still be read by who has only finished sending
  return {Kind::response_pending, 0, {}, {}};
}

void Session::begin_idle(TimePoint now) noexcept {
  state_ = State::idle;
  since_ = now;
  response_begun_ = false;
}

TimePoint Session::deadline() const noexcept {
  switch (state_) {
    case State::idle:
      return since_ + (is_first_ ? limits_->head_deadline : limits_->idle_deadline);
    case State::head:
      return since_ + limits_->head_deadline;
    case State::body:
    case State::draining:
      return pace_deadline(limits_->body_pace, since_, last_byte_, received_);
    case State::body_end:
    case State::waiting:
    case State::closing:
      break;
  }
  return TimePoint::max();
}

Event Session::expire(TimePoint now) noexcept {
  if (now < deadline()) return {};
  if (state_ == State::idle || state_ == State::draining) return close();
  return refuse({408, "the request came too slowly"});
}

void Session::excuse(std::chrono::nanoseconds pause) noexcept {
  since_ += pause;
  last_byte_ += pause;
}

}  // namespace weft::http
