// SPDX-License-Identifier: Apache-2.0
// Random names, a page of them at a time.
#include "grpc/fresh_names.h"

#include <sys/random.h>

#include <algorithm>

#include "os/check.h"

namespace weft::grpc {

void FreshNames::fill(std::span<std::uint8_t> bytes) {
  if (stock_bytes - used_ < bytes.size()) {
    for (std::size_t filled = 0; filled < stock_bytes;) {
      const auto given = ::getrandom(stock_.data() + filled, stock_bytes - filled, 0);
      os::check(given > 0, "the kernel gives no random bytes");
      filled += static_cast<std::size_t>(given);
    }
    used_ = 0;
  }
  std::copy_n(stock_.begin() + static_cast<std::ptrdiff_t>(used_), bytes.size(), bytes.begin());
  used_ += bytes.size();
  bytes.back() |= 1U;  // all zeros are no name
}

Trace FreshNames::continue_trace(std::string_view traceparent, std::string_view tracestate) {
  Trace trace;
  const auto received = traceparent.empty() ? std::nullopt : weft::parse_traceparent(traceparent);
  if (received) {
    trace.parent = *received;
    if (!tracestate.empty()) trace.state = checked_tracestate(tracestate);
  } else {
    fill(trace.parent.trace);
  }
  fill(trace.parent.span);
  return trace;
}

}  // namespace weft::grpc
