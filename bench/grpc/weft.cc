// SPDX-License-Identifier: Apache-2.0
// The methods, by weft's server.
#include <weft/grpc_server.h>

#include <weft_bench_grpc_protos/echo.grpc.pb.h>
#include "sides.h"

namespace weft::bench_grpc {
namespace {

using grpc_bench::Echo;
using grpc_bench::Line;
using grpc_bench::Spring;

grpc::ServerOptions options_for(const std::string& address, std::uint32_t threads, Carried by) {
  grpc::ServerOptions options;
  options.transport = by == Carried::by_weft ? grpc::Transport::weft : grpc::Transport::grpc;
  options.addresses = {address};
  options.workers = threads;
  options.health = false;
  return options;
}

void serve(grpc::Server& server) {
  server.start();
  announce(server.ports().front());
  wait_for_the_end();
  server.shutdown(std::chrono::steady_clock::now() + std::chrono::seconds(1));
}

}  // namespace

void serve_with_weft(const std::string& address, std::uint32_t threads, Carried by) {
  Echo::AsyncService service;
  grpc::Server server(options_for(address, threads, by));
  server.unary(service, &Echo::AsyncService::RequestSay,
               [](grpc::Call&, const Line& request, Line& response) -> grpc::Answer {
                 response.set_text(request.text());
                 co_return ::grpc::Status::OK;
               });
  serve(server);
}

void pour_with_weft(const std::string& address, std::uint32_t threads, Carried by) {
  Spring::AsyncService service;
  grpc::Server server(options_for(address, threads, by));
  server.server_stream(
      service, &Spring::AsyncService::RequestPour,
      [](grpc::Call&, const Line& request, grpc::Writer<Line>& writer) -> grpc::Answer {
        for (;;) co_await writer.write(request);  // until the client goes, which throws
      });
  serve(server);
}

}  // namespace weft::bench_grpc
