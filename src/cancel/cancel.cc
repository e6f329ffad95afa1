// SPDX-License-Identifier: Apache-2.0
// Sources, tokens and scopes.
#include <weft/cancel.h>

#include <algorithm>
#include <utility>

#include "cancel/state.h"
#include "cancel/timers.h"

namespace weft {
namespace cancel {

// The reason is there before anybody is told: request_stop() publishes it.
bool State::cancel(CancelReason why) noexcept {
  CancelReason none = CancelReason::none;
  if (why == none || !reason.compare_exchange_strong(none, why, std::memory_order_acq_rel)) {
    return false;
  }
  std::stop_source own = stop;  // a callback may end whoever owns this state
  own.request_stop();
  return true;
}

State::~State() {
  follow.reset();
  if (is_timed) Timers::shared().remove(*this);
}

void State::Follow::operator()() const noexcept {
  child->cancel(parent->reason.load(std::memory_order_acquire));
}

}  // namespace cancel

const char* to_string(CancelReason reason) noexcept {
  switch (reason) {
    case CancelReason::none:
      return "none";
    case CancelReason::deadline:
      return "deadline";
    case CancelReason::client:
      return "client";
    case CancelReason::shutdown:
      return "shutdown";
    case CancelReason::overload:
      return "overload";
  }
  return "unknown";
}

const char* Cancelled::what() const noexcept {
  switch (reason_) {
    case CancelReason::deadline:
      return "cancelled: the deadline has passed";
    case CancelReason::client:
      return "cancelled: the client has gone";
    case CancelReason::shutdown:
      return "cancelled: the server ends";
    case CancelReason::overload:
      return "cancelled: there is too much to do";
    case CancelReason::none:
      break;
  }
  return "cancelled";
}

CancelToken::CancelToken(std::shared_ptr<const cancel::State> state) noexcept
    : state_(std::move(state)) {
  if (state_ != nullptr) stop_token_ = state_->stop.get_token();
}

CancelReason CancelToken::reason() const noexcept {
  return state_ == nullptr ? CancelReason::none : state_->reason.load(std::memory_order_acquire);
}

void CancelToken::check() const {
  if (const CancelReason why = reason(); why != CancelReason::none) throw Cancelled(why);
}

CancelToken::Instant CancelToken::deadline() const noexcept {
  return state_ == nullptr ? Instant::max() : state_->deadline;
}

std::chrono::nanoseconds CancelToken::remaining() const noexcept {
  const Instant end = deadline();
  if (end == Instant::max()) return std::chrono::nanoseconds::max();
  return std::max(std::chrono::nanoseconds(0), end - std::chrono::steady_clock::now());
}

CancelSource::CancelSource(Instant deadline, const CancelToken& parent)
    : state_(std::make_shared<cancel::State>()) {
  state_->deadline = std::min(deadline, parent.deadline());
  if (parent.state_ != nullptr) {
    state_->follow.emplace(parent.stop_token(), cancel::State::Follow{state_.get(), parent.state_});
  }
  if (state_->deadline == Instant::max()) return;
  if (state_->deadline <= std::chrono::steady_clock::now()) {
    state_->cancel(CancelReason::deadline);
  } else {
    cancel::Timers::shared().add(*state_);
    state_->is_timed = true;
  }
}

CancelSource::CancelSource(Watched, Instant deadline) : state_(std::make_shared<cancel::State>()) {
  state_->deadline = deadline;
}

bool Canceller::cancel(CancelReason reason) const noexcept {
  return state_ != nullptr && state_->cancel(reason);
}

CancelToken CancelSource::token() const noexcept {
  return CancelToken(state_);
}

CancelToken cancellation() noexcept {
  const CancelToken* const token = cancel::current_cancellation.get();
  return token == nullptr ? CancelToken() : *token;
}

Ambient<CancelToken>::Guard set_cancellation(CancelToken token) {
  return cancel::current_cancellation.set(std::move(token));
}

CancelScope::CancelScope(Instant deadline, const CancelToken& parent)
    : source_(deadline, parent), guard_(set_cancellation(source_.token())) {}

}  // namespace weft
