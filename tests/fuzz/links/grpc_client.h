// SPDX-License-Identifier: Apache-2.0
// GrpcClient: calls of whatever method with whatever bytes, one at a time.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "links/wire_text.h"

namespace weft::fuzz {

struct CallReply {
  ::grpc::Status status;
  std::vector<std::string> messages;
  std::multimap<std::string, std::string> initial;
  std::multimap<std::string, std::string> trailing;
};

class GrpcClient {
 public:
  explicit GrpcClient(const std::string& address);
  ~GrpcClient();
  CallReply call(const CallText& text);

 private:
  // Waits until the one operation under way has ended; false: it has failed.
  bool ends();

  std::shared_ptr<::grpc::Channel> channel_;
  ::grpc::GenericStub stub_;
  ::grpc::CompletionQueue queue_;
};

}  // namespace weft::fuzz
