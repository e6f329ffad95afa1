// SPDX-License-Identifier: Apache-2.0
// Calls of methods that nobody has registered: each is told so, whichever queue gRPC gives it to.
#include "grpc/unknown_call.h"

#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>

#include "grpc/test_support.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;
using ::grpc::ByteBuffer;
using ::grpc::ClientContext;
using ::grpc::Status;
using ::grpc::StatusCode;

using Codes = std::map<StatusCode, std::size_t>;

// Far more queues than threads.
ServerOptions few_of_many() {
  return {.workers = 1, .most_workers = 8};
}

ByteBuffer some_bytes() {
  const ::grpc::Slice slice("\x0a\x01x");
  return {&slice, 1};
}

// Asks for methods that are not there, all at once. A call that is never answered would be waited
// for; the deadline says which it was.
Codes ask(const std::vector<std::shared_ptr<::grpc::Channel>>& channels, std::size_t number,
          const std::string& method = "/weft.grpc_test.Echo/Nothing") {
  struct One {
    ClientContext context;
    ByteBuffer response;
    Status status;
    std::unique_ptr<::grpc::ClientAsyncResponseReader<ByteBuffer>> reader;
  };
  ::grpc::CompletionQueue queue;
  std::vector<One> all(number);
  for (std::size_t i = 0; i < number; ++i) {
    One& one = all[i];
    one.context.set_deadline(std::chrono::system_clock::now() + 1min);
    ::grpc::GenericStub stub(channels[i % channels.size()]);
    one.reader = stub.PrepareUnaryCall(&one.context, method, some_bytes(), &queue);
    one.reader->StartCall();
    one.reader->Finish(&one.response, &one.status, &one);
  }
  Codes codes;
  void* tag = nullptr;
  bool is_ok = false;
  for (std::size_t i = 0; i < number; ++i) {
    queue.Next(&tag, &is_ok);
    ++codes[static_cast<One*>(tag)->status.error_code()];
  }
  queue.Shutdown();
  while (queue.Next(&tag, &is_ok)) {
  }
  return codes;
}

Codes all_unimplemented(std::size_t number) {
  return {{StatusCode::UNIMPLEMENTED, number}};
}

std::vector<std::shared_ptr<::grpc::Channel>> connections(EchoServer& server, int number) {
  std::vector<std::shared_ptr<::grpc::Channel>> all;
  for (int i = 0; i < number; ++i) all.push_back(server.channel());
  return all;
}

TEST(UnknownCall, IsAnsweredWhereMostQueuesHaveNoThread) {
  EchoServer server({}, few_of_many());
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(ask({server.channel()}, 1), all_unimplemented(1)) << "one at a time";
  }
  EXPECT_EQ(ask(connections(server, 8), 100), all_unimplemented(100));
  EXPECT_EQ(ask(connections(server, 2), 10, "/no.such.Service/At/All"), all_unimplemented(10));
  EXPECT_TRUE(say(*server.stub(), "hello").status.ok());
  server.wait_until_idle();
  const ServerCounters counters = server->counters();
  EXPECT_EQ(counters.started, 131U);
  EXPECT_EQ(counters.finished.at(StatusCode::UNIMPLEMENTED), 130U);
  EXPECT_EQ(counters.finished_by_method.at("unknown").at(StatusCode::UNIMPLEMENTED), 130U);
  EXPECT_EQ(counters.finished_by_method.size(), 2U) << "what clients call them is no name of ours";
}

TEST(UnknownCall, IsAnsweredWhileWorkersComeAndGo) {
  EchoServer server({}, few_of_many());
  const auto channels = connections(server, 8);
  for (const std::uint32_t workers : {8U, 1U, 3U, 1U, 8U, 2U}) {
    server->set_workers(workers);
    EXPECT_EQ(ask(channels, 100), all_unimplemented(100)) << workers;
  }
  std::atomic<bool> is_over{false};
  std::thread resizes([&] {
    for (std::uint32_t i = 0; !is_over; ++i) {
      server->set_workers(1 + i % 8);
      std::this_thread::sleep_for(1ms);
    }
  });
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(ask(channels, 100), all_unimplemented(100)) << round;
  }
  is_over = true;
  resizes.join();
}

TEST(UnknownCall, IsAnsweredWhileTheServerDrains) {
  EchoServer server({}, few_of_many());
  server->begin_drain();
  EXPECT_EQ(ask(connections(server, 8), 100), all_unimplemented(100));
}

TEST(UnknownCall, MayBeAStreamThatDoesNotEnd) {
  EchoServer server({}, few_of_many());
  ::grpc::GenericStub stub(server.channel());
  for (int i = 0; i < 20; ++i) {
    ClientContext context;
    ::grpc::CompletionQueue queue;
    void* tag = nullptr;
    bool is_ok = false;
    const auto stream = stub.PrepareCall(&context, "/weft.grpc_test.Echo/Nothing", &queue);
    stream->StartCall(nullptr);
    queue.Next(&tag, &is_ok);
    stream->Write(some_bytes(), nullptr);  // and more may come
    queue.Next(&tag, &is_ok);
    Status status;
    stream->Finish(&status, nullptr);
    queue.Next(&tag, &is_ok);
    EXPECT_EQ(status.error_code(), StatusCode::UNIMPLEMENTED);
    EXPECT_EQ(status.error_message(), "");
  }
  server.wait_until_idle();
}

TEST(UnknownCall, IsToldOfWithoutTheClientsWords) {
  std::mutex mutex;
  std::vector<std::string> methods;
  ServerOptions options = few_of_many();
  options.on_finished = [&](const CallRecord& record) {
    const std::scoped_lock guard(mutex);
    methods.emplace_back(record.method);
    EXPECT_EQ(record.code, StatusCode::UNIMPLEMENTED);
    EXPECT_TRUE(record.was_delivered);
    EXPECT_NE(record.peer, "");
  };
  EchoServer server({}, std::move(options));
  ask({server.channel()}, 1, "/password=1234/x");
  server->shutdown(std::chrono::steady_clock::now() + 1min);
  EXPECT_EQ(methods, std::vector<std::string>{"unknown"});
}

// Whoever is not answered knows it, and nothing is left.
TEST(UnknownCall, ShutdownUnderLoadLeavesNone) {
  for (int round = 0; round < 20; ++round) {
    EchoServer server({}, few_of_many());
    std::atomic<std::uint64_t> ended{0};
    Codes codes;
    std::thread load([&] {
      const auto channels = connections(server, 4);
      for (int burst = 0; burst < 40; ++burst) {
        for (const auto& [code, number] : ask(channels, 25)) {
          codes[code] += number;
          ended += number;
        }
      }
    });
    while (ended < 50) std::this_thread::yield();
    EXPECT_TRUE(server->shutdown(std::chrono::steady_clock::now() + 1min));
    load.join();
    const ServerCounters counters = server->counters();
    EXPECT_EQ(counters.in_flight, 0U);
    EXPECT_EQ(counters.armed, 0U);
    EXPECT_GE(counters.started, codes[StatusCode::UNIMPLEMENTED]);
    EXPECT_EQ(codes[StatusCode::UNIMPLEMENTED] + codes[StatusCode::UNAVAILABLE] +
                  codes[StatusCode::CANCELLED],
              1000U);
  }
}

}  // namespace
}  // namespace weft::grpc
