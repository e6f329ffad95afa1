// SPDX-License-Identifier: Apache-2.0
// UnknownCall: a call of a method that the server does not have, which is told so.
//
// gRPC would do that by itself, with a request of its own at each completion queue; but some of
// ours have no thread, and what came to those would never be answered. So these calls are asked
// for, by the one worker that is always there: another would have to wait, when it is one too many,
// for a call that may never come. One request is enough: what comes meanwhile waits in gRPC.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <string_view>

#include "grpc/worker.h"

namespace weft::grpc {

class UnknownCall final : private Tag {
 public:
  // What all of them are called, in counters and records: their own names are anybody's text.
  static constexpr std::string_view name = "unknown";

  // Its own, until it is over. For the worker's thread.
  static void arm(Worker& worker);

 private:
  explicit UnknownCall(Worker& worker) noexcept : worker_(worker) {}

  void complete(bool is_ok) override;
  void on_requested(bool is_ok);
  void end();

  Worker& worker_;
  ::grpc::GenericServerContext context_;
  ::grpc::GenericServerAsyncReaderWriter stream_{&context_};
  int tags_ = 0;              // gRPC's, besides the request tag
  bool was_answered_ = true;  // gRPC took the answer
};

}  // namespace weft::grpc
