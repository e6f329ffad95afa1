// SPDX-License-Identifier: Apache-2.0
// How long a client of HTTP waits, by the field Grpc-Timeout.
//
// The syntax is gRPC's (PROTOCOL-HTTP2: Timeout): it is written down, has units, and gateways that
// turn HTTP into gRPC take the same field. A duration, and not a time: clocks differ.
#pragma once

#include <chrono>

#include "serve/response.h"

namespace weft::service {

// When the request must be answered: `longest` after it was there, or earlier. Throws
// HttpError(400) where the field is malformed, and Cancelled where it is too late already.
std::chrono::steady_clock::time_point deadline_of(const serve::Request& request,
                                                  std::chrono::nanoseconds longest,
                                                  std::chrono::steady_clock::time_point now);

}  // namespace weft::service
