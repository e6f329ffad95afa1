// SPDX-License-Identifier: Apache-2.0
// What a call's end means, as functions of values and time.
#pragma once

#include <grpcpp/support/status.h>
#include <weft/cancel.h>

#include <chrono>
#include <exception>
#include <string>
#include <string_view>

namespace weft::grpc {

using Instant = CancelToken::Instant;

struct Outcome {
  ::grpc::Status status;
  bool is_unexpected;  // an exception that is not weft::Cancelled
};

// What the client is told of what a handler threw: nothing of its text.
Outcome outcome_of(const std::exception_ptr& thrown);
::grpc::Status status_of(CancelReason reason);

// The deadline on the clock that does not jump. max(): none.
Instant steady_deadline(std::chrono::system_clock::time_point deadline,
                        std::chrono::system_clock::time_point now, Instant steady_now);

// Why gRPC ended a call. A client whose own deadline has passed resets the call, which may come
// before ours has: gRPC sends what is left of it, rounded up, and we count from when we have read
// it. On a host with six threads too many that was up to 49 ms late, so that a deadline of 50 ms
// had passed before the call began. So the last tenth of the time, and 100 ms at least, counts as
// the deadline: who gave less than that will hardly have thought better of it.
CancelReason reason_of_end(Instant begun, Instant deadline, Instant now,
                           bool is_shut_down) noexcept;

// "/package.Service/Method", of "package::Service::WithAsyncMethod_Method<…>". Throws
// std::invalid_argument where it is another class.
std::string method_name(std::string_view owner);

}  // namespace weft::grpc
