// SPDX-License-Identifier: Apache-2.0
// The method, by gRPC's callback API.
#include <grpcpp/grpcpp.h>

#include <weft_bench_grpc_protos/echo.grpc.pb.h>
#include "sides.h"

namespace weft::bench_grpc {
namespace {

using grpc_bench::Echo;
using grpc_bench::Line;

class Service final : public Echo::CallbackService {
  ::grpc::ServerUnaryReactor* Say(::grpc::CallbackServerContext* context, const Line* request,
                                  Line* response) override {
    response->set_text(request->text());
    ::grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(::grpc::Status::OK);
    return reactor;
  }
};

}  // namespace

void serve_with_callbacks(const std::string& address) {
  Service service;
  ::grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(address, ::grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<::grpc::Server> server = builder.BuildAndStart();
  announce(port);
  wait_for_the_end();
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
}

}  // namespace weft::bench_grpc
