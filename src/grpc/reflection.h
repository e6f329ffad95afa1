// SPDX-License-Identifier: Apache-2.0
// Reflection: grpc.reflection.v1alpha on the server's own workers, of the descriptors that are
// linked in.
#pragma once

#include <weft/grpc_server.h>

#include <set>
#include <string>

#include <weft_grpc_protos/reflection.grpc.pb.h>

namespace weft::grpc {

class Reflection {
 public:
  using Request = ::grpc::reflection::v1alpha::ServerReflectionRequest;
  using Response = ::grpc::reflection::v1alpha::ServerReflectionResponse;

  void add_to(Server& server);
  // Before the server starts.
  void set_services(std::set<std::string> services) { services_ = std::move(services); }

 private:
  Answer talk(Reader<Request>& reader, Writer<Response>& writer);
  void answer(const Request& request, Response& response) const;

  ::grpc::reflection::v1alpha::ServerReflection::AsyncService service_;
  std::set<std::string> services_;
};

}  // namespace weft::grpc
