// SPDX-License-Identifier: Apache-2.0
// What the call of here gives on to those that it asks.
#include <weft/grpc_server.h>
#include <weft/trace.h>

namespace weft::grpc {

void propagate(::grpc::ClientContext& context) {
  const CancelToken token = cancellation();
  if (token.deadline() != CancelToken::Instant::max()) {
    const auto remaining =
        std::chrono::duration_cast<std::chrono::system_clock::duration>(token.remaining());
    context.set_deadline(std::chrono::system_clock::now() + remaining);
  }
  if (const std::string* const id = current_correlation.get()) {
    context.AddMetadata("x-request-id", *id);
  }
  if (const Trace* const trace = current_trace.get()) {
    context.AddMetadata("traceparent", to_text(trace->parent));
    if (!trace->state.empty()) context.AddMetadata("tracestate", trace->state);
  }
}

}  // namespace weft::grpc
