// SPDX-License-Identifier: Apache-2.0
// The method, as gRPC's example of an asynchronous server has it, on a queue for each thread.
#include <grpcpp/grpcpp.h>

#include <memory>
#include <thread>
#include <vector>

#include <weft_bench_grpc_protos/echo.grpc.pb.h>
#include "sides.h"

namespace weft::bench_grpc {
namespace {

using grpc_bench::Echo;
using grpc_bench::Line;

class CallData {
 public:
  CallData(Echo::AsyncService& service, ::grpc::ServerCompletionQueue& queue)
      : service_(service), queue_(queue), responder_(&context_) {
    service_.RequestSay(&context_, &request_, &responder_, &queue_, &queue_, this);
  }

  void proceed(bool is_ok) {
    if (!is_ok || is_answered_) {
      delete this;
      return;
    }
    new CallData(service_, queue_);
    response_.set_text(request_.text());
    is_answered_ = true;
    responder_.Finish(response_, ::grpc::Status::OK, this);
  }

 private:
  Echo::AsyncService& service_;
  ::grpc::ServerCompletionQueue& queue_;
  ::grpc::ServerContext context_;
  Line request_;
  Line response_;
  ::grpc::ServerAsyncResponseWriter<Line> responder_;
  bool is_answered_ = false;
};

}  // namespace

void serve_with_queues(const std::string& address, std::uint32_t threads) {
  Echo::AsyncService service;
  ::grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(address, ::grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  std::vector<std::unique_ptr<::grpc::ServerCompletionQueue>> queues;
  for (std::uint32_t i = 0; i < threads; ++i) queues.push_back(builder.AddCompletionQueue());
  const std::unique_ptr<::grpc::Server> server = builder.BuildAndStart();
  std::vector<std::thread> all;
  for (const auto& queue : queues) {
    new CallData(service, *queue);
    all.emplace_back([&queue = *queue] {
      void* tag = nullptr;
      bool is_ok = false;
      while (queue.Next(&tag, &is_ok)) static_cast<CallData*>(tag)->proceed(is_ok);
    });
  }
  announce(port);
  wait_for_the_end();
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  for (const auto& queue : queues) queue->Shutdown();
  for (std::thread& thread : all) thread.join();
}

}  // namespace weft::bench_grpc
