// SPDX-License-Identifier: Apache-2.0
// The method, by weft's server.
#include <weft/grpc_server.h>

#include <weft_bench_grpc_protos/echo.grpc.pb.h>
#include "sides.h"

namespace weft::bench_grpc {

void serve_with_weft(const std::string& address, std::uint32_t threads) {
  using grpc_bench::Echo;
  using grpc_bench::Line;
  Echo::AsyncService service;
  grpc::ServerOptions options;
  options.addresses = {address};
  options.workers = threads;
  options.health = false;
  grpc::Server server(std::move(options));
  server.unary(service, &Echo::AsyncService::RequestSay,
               [](grpc::Call&, const Line& request, Line& response) -> grpc::Answer {
                 response.set_text(request.text());
                 co_return ::grpc::Status::OK;
               });
  server.start();
  announce(server.ports().front());
  wait_for_end_of_input();
  server.shutdown(std::chrono::steady_clock::now() + std::chrono::seconds(1));
}

}  // namespace weft::bench_grpc
