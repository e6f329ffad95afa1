// SPDX-License-Identifier: Apache-2.0
// docs/guide/grpc.md: a handler that blocks has the thread that all other calls need.
#include <gtest/gtest.h>

#include <latch>

#include "grpc/test_support.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;

// A database that answers when the test says so.
struct SlowDatabase {
  std::latch was_asked{1};
  std::latch answers{1};
  void query() {
    was_asked.count_down();
    answers.wait();
  }
};

// A call under way, and whether its answer has come.
class Pending {
 public:
  Pending(Echo::Stub& stub, const std::string& text)
      : reader_(stub.AsyncSay(&context_, line_of(text), &queue_)) {
    reader_->Finish(&answer_, &status_, this);
  }
  ~Pending() {
    queue_.Shutdown();
    void* tag = nullptr;
    bool is_ok = false;
    while (queue_.Next(&tag, &is_ok)) {
    }
  }
  bool is_answered_within(std::chrono::milliseconds patience) {
    void* tag = nullptr;
    bool is_ok = false;
    const auto until = std::chrono::system_clock::now() + patience;
    return queue_.AsyncNext(&tag, &is_ok, until) == ::grpc::CompletionQueue::GOT_EVENT &&
           status_.ok();
  }

 private:
  ::grpc::CompletionQueue queue_;
  ::grpc::ClientContext context_;
  Line answer_;
  ::grpc::Status status_;
  std::unique_ptr<::grpc::ClientAsyncResponseReader<Line>> reader_;
};

TEST(TheBug, AHandlerThatBlocksStarvesAllOthers) {
  SlowDatabase database;
  Handlers handlers;
  handlers.say = [&](Call&, const Line& request, Line&) -> Answer {
    if (request.text() == "slow") database.query();
    co_return ::grpc::Status::OK;
  };
  EchoServer server(std::move(handlers), {.workers = 1});
  const auto stub = server.stub();
  Pending slow(*stub, "slow");
  database.was_asked.wait();
  Pending quick(*stub, "quick");
  EXPECT_FALSE(quick.is_answered_within(200ms))
      << "the bug does not show any more, and the guide is wrong";
  database.answers.count_down();
  EXPECT_TRUE(quick.is_answered_within(1h));
  EXPECT_TRUE(slow.is_answered_within(1h));
}

TEST(TheCure, WhatBlocksIsOffloaded) {
  SlowDatabase database;
  Pool pool;
  Handlers handlers;
  handlers.say = [&](Call&, const Line& request, Line&) -> Answer {
    if (request.text() == "slow") co_await offload(pool, [&] { database.query(); });
    co_return ::grpc::Status::OK;
  };
  EchoServer server(std::move(handlers), {.workers = 1});
  const auto stub = server.stub();
  Pending slow(*stub, "slow");
  database.was_asked.wait();
  // Answered while the database is not: 100 of them, by the one thread.
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Pending(*stub, "quick").is_answered_within(1h));
  EXPECT_FALSE(slow.is_answered_within(0ms));
  database.answers.count_down();
  EXPECT_TRUE(slow.is_answered_within(1h));
}

}  // namespace
}  // namespace weft::grpc
