// SPDX-License-Identifier: Apache-2.0
// RequestScope: which request this is, for all that is done for it, on whatever thread.
#pragma once

#include <weft/trace.h>

#include <string>

#include "serve/response.h"

namespace weft::serve {

class RequestScope {
 public:
  // By traceparent and tracestate (W3C), and X-Request-Id; what is malformed is as if it were not
  // there, and what is not there is made up.
  explicit RequestScope(const Request& request);

  const std::string& correlation() const noexcept { return correlation_; }

 private:
  explicit RequestScope(const Request& request, Trace trace);

  const std::string correlation_;
  Ambient<Trace>::Guard trace_guard_;
  Ambient<std::string>::Guard correlation_guard_;
};

}  // namespace weft::serve
