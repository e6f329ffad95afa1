// SPDX-License-Identifier: Apache-2.0
// What the fields of a request say about which it is.
#include "serve/request_scope.h"

#include <string_view>
#include <utility>

#include "http/characters.h"

namespace weft::serve {
namespace {

// RFC 9110 5.3: fields of one name are one list. Two of what is no list are none.
std::string joined(const http::RequestHead& head, std::string_view lower_case_name) {
  std::string all;
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    if (!http::equals_ignoring_case(head.name(i), lower_case_name)) continue;
    if (!all.empty()) all += ',';
    all += head.value(i);
  }
  return all;
}

}  // namespace

RequestScope::RequestScope(const Request& request)
    : RequestScope(request, continue_trace(joined(request.head, "traceparent"),
                                           joined(request.head, "tracestate"))) {}

RequestScope::RequestScope(const Request& request, Trace trace)
    : correlation_(correlation_of(joined(request.head, "x-request-id"), trace)),
      trace_guard_(current_trace.set(std::move(trace))),
      correlation_guard_(current_correlation.set(correlation_)) {}

}  // namespace weft::serve
