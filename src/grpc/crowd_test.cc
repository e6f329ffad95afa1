// SPDX-License-Identifier: Apache-2.0
// Many calls at the same time: whose context is whose, and workers that come and go.
#include <gtest/gtest.h>

#include <weft/trace.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include "grpc/test_support.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;
using ::grpc::ClientContext;
using ::grpc::Status;
using ::grpc::StatusCode;

constexpr Ambient<int> number_here("number");

TEST(Crowd, NoCallSeesTheContextOfAnother) {
  Pool pool({.minimum = 2});
  std::atomic<int> wrong{0};
  std::atomic<int> most{0};
  std::atomic<int> inside{0};
  Handlers handlers;
  handlers.say = [&](Call& call, const Line& request, Line& response) -> Answer {
    const int now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    const int number = request.number();
    const auto guard = number_here.set(number);
    const std::string expected = "call-" + std::to_string(number);
    const auto look = [&] {
      if (correlation() != expected || number_here.value_or(-1) != number ||
          cancellation().deadline() != call.token().deadline()) {
        ++wrong;
      }
    };
    look();
    if (number % 2 == 0) co_await sleep_for(std::chrono::microseconds(number % 1000));
    look();
    if (number % 3 == 0) co_await offload(pool, look);
    look();
    if (number % 5 == 0) co_await weft::sleep_for(50us);
    look();
    response = request;
    --inside;
    co_return Status::OK;
  };
  const GuardMisuses before = guard_misuses();
  EchoServer server(std::move(handlers));
  const auto one = server.stub();
  const auto other = server.stub();
  int answered = 0;
  ManyCalls({one.get(), other.get()})
      .run(
          10'000, 1000,
          [](std::size_t index, ClientContext& context) {
            context.AddMetadata("x-request-id", "call-" + std::to_string(index));
            if (index % 2 == 0) context.set_deadline(std::chrono::system_clock::now() + 10min);
          },
          [&](std::size_t, const Status& status, const Line&) { answered += status.ok() ? 1 : 0; });
  EXPECT_EQ(answered, 10'000);
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(most, 1) << "nothing was shown";
  EXPECT_EQ(guard_misuses().on_another_strand, before.on_another_strand);
  EXPECT_EQ(guard_misuses().out_of_order, before.out_of_order);
}

TEST(Crowd, WorkersComeAndGoUnderLoad) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  Handlers handlers;
  handlers.say = [&](Call&, const Line& request, Line& response) -> Answer {
    if (request.number() % 4 == 0) co_await sleep_for(50us);
    {
      const std::scoped_lock guard(mutex);
      threads.insert(std::this_thread::get_id());
    }
    response = request;
    co_return Status::OK;
  };
  const auto threads_of = [&] {
    const std::scoped_lock guard(mutex);
    return std::exchange(threads, {}).size();
  };
  EchoServer server(std::move(handlers), {.workers = 1, .most_workers = 3});
  std::vector<std::unique_ptr<Echo::Stub>> stubs;
  std::vector<Echo::Stub*> all;
  for (int i = 0; i < 9; ++i) {  // on weft's transport a connection is with one worker
    stubs.push_back(server.stub());
    all.push_back(stubs.back().get());
  }
  const auto load = [&](std::size_t calls) {
    std::size_t answered = 0;
    ManyCalls(all).run(
        calls, 60, [](std::size_t, ClientContext&) {},
        [&](std::size_t, const Status& status, const Line&) { answered += status.ok(); });
    return answered;
  };
  EXPECT_EQ(load(500), 500U);
  EXPECT_EQ(threads_of(), 1U);
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> goes_on{true};
    std::size_t made = 0;
    std::size_t answered = 0;
    std::thread client([&] {
      while (goes_on) {
        answered += load(200);
        made += 200;
      }
    });
    server->set_workers(3);
    EXPECT_EQ(server->counters().workers, 3U);
    std::size_t seen = 0;
    while (seen < 3) {  // all three get something to do
      std::this_thread::sleep_for(5ms);
      const std::scoped_lock guard(mutex);
      seen = threads.size();
    }
    server->set_workers(1);
    EXPECT_EQ(server->counters().workers, 1U);
    if (round % 2 == 0) server->set_workers(2);
    server->set_workers(1);
    goes_on = false;
    client.join();
    EXPECT_EQ(answered, made);
    threads_of();
  }
  // What the others had armed of this method is used up.
  do load(200);
  while (threads_of() != 1);
  EXPECT_EQ(load(500), 500U);
  EXPECT_EQ(threads_of(), 1U);
}

// How many threads of this process serve a queue.
std::size_t threads_that_serve() {
  std::size_t number = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "comm");
    std::string name;
    std::getline(file, name);
    number += name == "weft-grpc" ? 1 : 0;
  }
  return number;
}

TEST(Crowd, AWorkerThatIsOneTooManyEndsWhenItsRequestsAreUsedUp) {
  const Only only(Transport::grpc);  // nothing is armed on the other
  ServerOptions options{.workers = 1, .most_workers = 3};
  options.armed = 2;
  options.health = false;
  Server server(std::move(options));
  grpc_test::Single::AsyncService service;
  server.unary(service, &grpc_test::Single::AsyncService::RequestSay,
               [](Call&, const Line& request, Line& response) -> Answer {
                 response = request;
                 co_return Status::OK;
               });
  server.start();
  const auto stub = grpc_test::Single::NewStub(::grpc::CreateChannel(
      "127.0.0.1:" + std::to_string(server.ports()[0]), ::grpc::InsecureChannelCredentials()));
  // More at once than one worker has armed.
  const auto burst = [&] {
    ::grpc::CompletionQueue queue;
    struct One {
      ClientContext context;
      Line line;
      Status status;
    };
    std::vector<One> all(40);
    std::vector<std::unique_ptr<::grpc::ClientAsyncResponseReader<Line>>> readers;
    for (One& one : all) {
      readers.push_back(stub->AsyncSay(&one.context, line_of("x"), &queue));
      readers.back()->Finish(&one.line, &one.status, &one);
    }
    void* tag = nullptr;
    bool is_ok = false;
    for (std::size_t i = 0; i < all.size(); ++i) queue.Next(&tag, &is_ok);
    for (const One& one : all) EXPECT_TRUE(one.status.ok()) << one.status.error_message();
    queue.Shutdown();
    while (queue.Next(&tag, &is_ok)) {
    }
  };
  for (int round = 0; round < 3; ++round) {
    server.set_workers(3);
    // Of one method, and one at the first worker for those that are unknown.
    while (server.counters().armed != 3U * 2 + 1) std::this_thread::yield();
    EXPECT_EQ(threads_that_serve(), 3U);
    burst();
    server.set_workers(1);
    while (threads_that_serve() != 1) burst();
    EXPECT_EQ(server.counters().armed, 2U + 1);
  }
}

TEST(Crowd, AWorkerThatIsOneTooManyEndsWithItsConnections) {
  const Only only(Transport::weft);  // gRPC's workers share all connections
  EchoServer server({}, {.workers = 1, .most_workers = 3});
  std::vector<std::unique_ptr<Echo::Stub>> stubs;
  for (int i = 0; i < 6; ++i) stubs.push_back(server.stub());
  for (int round = 0; round < 3; ++round) {
    server->set_workers(3);
    while (threads_that_serve() != 3) std::this_thread::yield();  // they name themselves
    for (const auto& stub : stubs) EXPECT_TRUE(say(*stub, "x").status.ok());
    server->set_workers(1);
    do {
      for (const auto& stub : stubs) EXPECT_TRUE(say(*stub, "x").status.ok());
    } while (threads_that_serve() != 1);
  }
}

TEST(Crowd, ManyStreamsAtOnce) {
  EchoServer server;
  std::vector<std::jthread> clients;
  std::atomic<int> right{0};
  for (int client = 0; client < 8; ++client) {
    clients.emplace_back([&] {
      const auto stub = server.stub();
      for (int round = 0; round < 20; ++round) {
        ClientContext context;
        const auto stream = stub->Chat(&context);
        int read = 0;
        for (int i = 0; i < 20; ++i) {
          Line line;
          if (stream->Write(line_of("", i)) && stream->Read(&line) && line.number() == i) ++read;
        }
        stream->WritesDone();
        if (stream->Finish().ok() && read == 20) ++right;
      }
    });
  }
  clients.clear();
  EXPECT_EQ(right, 160);
  server.wait_until_idle();
}

}  // namespace
}  // namespace weft::grpc
