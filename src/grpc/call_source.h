// SPDX-License-Identifier: Apache-2.0
// CallSource: what is ambient in a call (cancellation, trace, correlation id), made when somebody
// asks for it: most handlers want none of it.
//
// It may outlive the call, with whoever has captured the context; and is asked on any thread.
#pragma once

#include <weft/cancel.h>
#include <weft/trace.h>

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "context/strand.h"

namespace weft::grpc {

class CallSource final : public context::Source {
 public:
  // Who makes it sees to the deadline, and cancels.
  explicit CallSource(CancelToken::Instant deadline) noexcept : deadline_(deadline) {}

  // What the client has sent, as it was. Before anybody else has the source.
  void receive(std::string_view traceparent, std::string_view tracestate,
               std::string_view correlation);

  // The first reason stays.
  void cancel(CancelReason reason) noexcept;
  CancelReason reason() const noexcept;

  const CancelToken& token() const;
  const Trace& trace() const;
  const std::string& correlation() const;

  // None, where there is no memory for it.
  const void* find(const context::Key& key) const noexcept override;

  // Of all of these.
  static constexpr context::Key key{"call"};

 private:
  using Lock = std::scoped_lock<std::mutex>;
  const Trace& trace(const Lock&) const;

  const CancelToken::Instant deadline_;
  std::string received_traceparent_;
  std::string received_tracestate_;
  std::string received_correlation_;

  mutable std::mutex mutex_;
  // Guarded by mutex_. What was made once does not change any more.
  CancelReason reason_ = CancelReason::none;
  mutable std::optional<CancelSource> cancel_;
  mutable std::optional<CancelToken> token_;
  mutable std::optional<Trace> trace_;
  mutable std::optional<std::string> correlation_;
};

}  // namespace weft::grpc
