// SPDX-License-Identifier: Apache-2.0
// Names and tokens, for who asks.
#include "grpc/call_source.h"

#include <new>

#include "cancel/state.h"
#include "grpc/fresh_names.h"

namespace weft::grpc {

void CallSource::receive(std::string_view traceparent, std::string_view tracestate,
                         std::string_view correlation) {
  received_traceparent_ = traceparent;
  received_tracestate_ = tracestate;
  received_correlation_ = correlation;
}

void CallSource::cancel(CancelReason reason) noexcept {
  Canceller made;
  {
    const Lock lock(mutex_);
    if (reason_ != CancelReason::none) return;
    reason_ = reason;
    if (cancel_) made = cancel_->canceller();
  }
  made.cancel(reason);  // calls whoever waits for it, who may ask us
}

CancelReason CallSource::reason() const noexcept {
  const Lock lock(mutex_);
  return reason_;
}

const CancelToken& CallSource::token() const {
  const Lock lock(mutex_);
  if (!token_) {
    cancel_.emplace(CancelSource::Watched(), deadline_);
    cancel_->cancel(reason_);
    token_ = cancel_->token();
  }
  return *token_;
}

const Trace& CallSource::trace(const Lock&) const {
  thread_local FreshNames names;
  if (!trace_) trace_ = names.continue_trace(received_traceparent_, received_tracestate_);
  return *trace_;
}

const Trace& CallSource::trace() const {
  const Lock lock(mutex_);
  return trace(lock);
}

const std::string& CallSource::correlation() const {
  const Lock lock(mutex_);
  if (!correlation_) {
    correlation_ = is_correlation_id(received_correlation_) ? received_correlation_
                                                            : correlation_of({}, trace(lock));
  }
  return *correlation_;
}

const void* CallSource::find(const context::Key& key) const noexcept {
  try {
    if (&key == &cancel::current_cancellation.key()) return &token();
    if (&key == &current_trace.key()) return &trace();
    if (&key == &current_correlation.key()) return &correlation();
  } catch (const std::bad_alloc&) {  // as if it were not there
  }
  return nullptr;
}

}  // namespace weft::grpc
