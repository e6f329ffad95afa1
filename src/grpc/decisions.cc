// SPDX-License-Identifier: Apache-2.0
// Statuses, deadlines, reasons and names.
#include "grpc/decisions.h"

#include <algorithm>
#include <stdexcept>

namespace weft::grpc {

using namespace std::chrono_literals;

::grpc::Status status_of(CancelReason reason) {
  switch (reason) {
    case CancelReason::deadline:
      return {::grpc::StatusCode::DEADLINE_EXCEEDED, "the deadline has passed"};
    case CancelReason::shutdown:
      return {::grpc::StatusCode::UNAVAILABLE, "the server shuts down"};
    case CancelReason::overload:
      return {::grpc::StatusCode::RESOURCE_EXHAUSTED, "there is too much to do"};
    case CancelReason::client:
    case CancelReason::none:
      break;
  }
  return {::grpc::StatusCode::CANCELLED, "cancelled"};
}

Outcome outcome_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Cancelled& cancelled) {
    return {status_of(cancelled.reason()), false};
  } catch (...) {
    return {{::grpc::StatusCode::INTERNAL, "the handler has failed"}, true};
  }
}

Instant steady_deadline(std::chrono::system_clock::time_point deadline,
                        std::chrono::system_clock::time_point now, Instant steady_now) {
  // Further away than anybody waits: no deadline, and no overflow.
  if (deadline - now > 24h * 365) return Instant::max();
  return steady_now + (deadline - now);
}

CancelReason reason_of_end(Instant begun, Instant deadline, Instant now,
                           bool is_shut_down) noexcept {
  if (is_shut_down) return CancelReason::shutdown;
  if (deadline == Instant::max()) return CancelReason::client;
  const std::chrono::nanoseconds given = deadline - begun;
  const auto slack = std::max<std::chrono::nanoseconds>(given / 10, 100ms);
  return deadline - now <= slack ? CancelReason::deadline : CancelReason::client;
}

std::string method_name(std::string_view owner) {
  constexpr std::string_view mark = "::WithAsyncMethod_";
  const std::size_t end_of_service = owner.find(mark);
  const std::size_t end = owner.find('<', end_of_service);
  if (end_of_service == std::string_view::npos || end == std::string_view::npos) {
    throw std::invalid_argument("weft::grpc: " + std::string(owner) +
                                " is no AsyncService: pass &NAME::AsyncService::RequestMETHOD");
  }
  std::string name = "/";
  for (std::size_t i = 0; i < end_of_service; ++i) {
    const bool is_separator = owner.substr(i, 2) == "::";
    name += is_separator ? '.' : owner[i];
    if (is_separator) ++i;
  }
  const std::size_t begin = end_of_service + mark.size();
  return name.append("/").append(owner.substr(begin, end - begin));
}

}  // namespace weft::grpc
