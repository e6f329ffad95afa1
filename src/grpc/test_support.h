// SPDX-License-Identifier: Apache-2.0
// A server with one method of each kind, whose handlers a test writes, and a client to ask it.
#pragma once

#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>
#include <weft/coroutines.h>
#include <weft/grpc_server.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weft_grpc_test_protos/test.grpc.pb.h>
#include "grpc/tested_transport.h"

namespace weft::grpc {

using grpc_test::Echo;
using grpc_test::Line;

// What answers, until a test says otherwise: the same text.
struct Handlers {
  std::function<Answer(Call&, const Line&, Line&)> say = [](Call&, const Line& request,
                                                            Line& response) -> Answer {
    response = request;
    co_return ::grpc::Status::OK;
  };
  std::function<Answer(Call&, const Line&, Writer<Line>&)> count =
      [](Call&, const Line& request, Writer<Line>& writer) -> Answer {
    for (int i = 0; i < request.number(); ++i) {
      Line line;
      line.set_number(i);
      co_await writer.write(line);
    }
    co_return ::grpc::Status::OK;
  };
  std::function<Answer(Call&, Reader<Line>&, Line&)> add = [](Call&, Reader<Line>& reader,
                                                              Line& response) -> Answer {
    while (const auto line = co_await reader.read()) {
      response.set_number(response.number() + line->number());
    }
    co_return ::grpc::Status::OK;
  };
  std::function<Answer(Call&, Reader<Line>&, Writer<Line>&)> chat =
      [](Call&, Reader<Line>& reader, Writer<Line>& writer) -> Answer {
    while (const auto line = co_await reader.read()) co_await writer.write(*line);
    co_return ::grpc::Status::OK;
  };
};

class EchoServer {
 public:
  explicit EchoServer(Handlers handlers = {}, ServerOptions options = {.workers = 2})
      : server_(on_tested_transport(std::move(options))) {
    using Service = Echo::AsyncService;
    server_.unary(service_, &Service::RequestSay, std::move(handlers.say),
                  {.priority = Priority::low});
    server_.server_stream(service_, &Service::RequestCount, std::move(handlers.count));
    server_.client_stream(service_, &Service::RequestAdd, std::move(handlers.add));
    server_.stream(service_, &Service::RequestChat, std::move(handlers.chat));
    server_.start();
  }

  Server& operator*() noexcept { return server_; }
  Server* operator->() noexcept { return &server_; }

  // A connection of its own each time.
  std::shared_ptr<::grpc::Channel> channel() {
    ::grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    return ::grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(server_.ports().at(0)),
                                       ::grpc::InsecureChannelCredentials(), arguments);
  }
  std::unique_ptr<Echo::Stub> stub() { return Echo::NewStub(channel()); }

  void wait_until_idle() {
    while (server_.counters().in_flight != 0) std::this_thread::yield();
  }

 private:
  Echo::AsyncService service_;
  Server server_;
};

struct Said {
  ::grpc::Status status;
  Line line;
};

inline Line line_of(std::string text, int number = 0) {
  Line line;
  line.set_text(std::move(text));
  line.set_number(number);
  return line;
}

inline Said say(Echo::Stub& stub, const std::string& text, ::grpc::ClientContext& context) {
  Said said;
  said.status = stub.Say(&context, line_of(text), &said.line);
  return said;
}
inline Said say(Echo::Stub& stub, const std::string& text) {
  ::grpc::ClientContext context;
  return say(stub, text, context);
}

// Many calls of Say at the same time, by one thread.
class ManyCalls {
 public:
  using Prepare = std::function<void(std::size_t index, ::grpc::ClientContext&)>;
  using Done = std::function<void(std::size_t index, const ::grpc::Status&, const Line&)>;

  explicit ManyCalls(std::vector<Echo::Stub*> stubs) : stubs_(std::move(stubs)) {}

  // Keeps `at_once` under way until `number` were made. cancel_after: of each third, in the client.
  void run(std::size_t number, std::size_t at_once, const Prepare& prepare, const Done& done,
           bool cancels_some = false) {
    ::grpc::CompletionQueue queue;
    std::size_t made = 0;
    std::size_t ended = 0;
    const auto begin = [&] {
      auto* const one = new One{made, {}, {}, {}, {}};
      prepare(made, one->context);
      Echo::Stub& stub = *stubs_[made % stubs_.size()];
      one->reader = stub.AsyncSay(&one->context,
                                  line_of(std::to_string(made), static_cast<int>(made)), &queue);
      one->reader->Finish(&one->line, &one->status, one);
      if (cancels_some && made % 3 == 0) one->context.TryCancel();
      ++made;
    };
    while (made < number && made < at_once) begin();
    void* tag = nullptr;
    bool is_ok = false;
    while (ended < number && queue.Next(&tag, &is_ok)) {
      const std::unique_ptr<One> one(static_cast<One*>(tag));
      done(one->index, one->status, one->line);
      ++ended;
      if (made < number) begin();
    }
    queue.Shutdown();
    while (queue.Next(&tag, &is_ok)) {
    }
  }

 private:
  struct One {
    std::size_t index;
    ::grpc::ClientContext context;
    Line line;
    ::grpc::Status status;
    std::unique_ptr<::grpc::ClientAsyncResponseReader<Line>> reader;
  };
  std::vector<Echo::Stub*> stubs_;
};

}  // namespace weft::grpc
