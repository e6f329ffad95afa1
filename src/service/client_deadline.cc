// SPDX-License-Identifier: Apache-2.0
// The earlier of two deadlines.
#include "service/client_deadline.h"

#include <weft/cancel.h>
#include <weft/service.h>

#include <algorithm>
#include <optional>
#include <string>

#include "http/characters.h"
#include "wire/timeout.h"

namespace weft::service {
namespace {

using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

[[noreturn]] void refuse_timeout() {
  throw HttpError(400,
                  "Grpc-Timeout wants up to 8 digits and one of H M S m u n, once: \"250m\" "
                  "are 250 milliseconds");
}

}  // namespace

Clock::time_point deadline_of(const serve::Request& request, nanoseconds longest,
                              Clock::time_point now) {
  std::optional<nanoseconds> wished;
  for (std::size_t i = 0; i < request.head.field_count(); ++i) {
    if (!http::equals_ignoring_case(request.head.name(i), "grpc-timeout")) continue;
    if (wished) refuse_timeout();
    wished = wire::parse_timeout(request.head.value(i));
    if (!wished) refuse_timeout();
  }
  const Clock::time_point asked = request.asked == Clock::time_point() ? now : request.asked;
  const Clock::time_point deadline = asked + std::min(longest, wished.value_or(longest));
  if (deadline <= now) throw Cancelled(CancelReason::deadline);
  return deadline;
}

std::optional<std::string> remaining_timeout() {
  const CancelToken token = cancellation();
  if (token.deadline() == CancelToken::Instant::max()) return std::nullopt;
  return wire::timeout_text(token.remaining());
}

}  // namespace weft::service
