// SPDX-License-Identifier: Apache-2.0
// Calls that use again what was made for others see nothing of them.
#include <gtest/gtest.h>
#include <weft/trace.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <set>

#include "grpc/test_support.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using ::grpc::ClientContext;
using ::grpc::Status;
using ::grpc::StatusCode;

constexpr Ambient<std::string> name_of_user("user");

std::string name_of(int number) {
  return "call-" + std::to_string(number);
}

Said say_as(Echo::Stub& stub, const std::string& text, int number) {
  ClientContext context;
  context.AddMetadata("x-request-id", name_of(number));
  return say(stub, text, context);
}

// One worker and one armed request: each call has what the last one had.
ServerOptions one_at_a_time() {
  return {.workers = 1, .armed = 1};
}

TEST(Reuse, WhatAHandlerLeavesBehindKeepsItsContext) {
  std::mutex mutex;
  std::set<std::string> seen;
  std::atomic<int> left{0};
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line& response) -> Answer {
    const asio::any_io_executor own = co_await asio::this_coro::executor;
    ++left;
    asio::co_spawn(
        own,
        [&]() -> asio::awaitable<void> {
          asio::steady_timer timer(co_await asio::this_coro::executor, 20ms);
          co_await timer.async_wait(asio::use_awaitable);
          {
            const std::scoped_lock guard(mutex);
            seen.insert(std::string(correlation()));
          }
          --left;
        },
        asio::detached);
    response.set_text(std::string(correlation()));
    co_return Status::OK;
  };
  EchoServer server(handlers, one_at_a_time());
  const auto stub = server.stub();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(say_as(*stub, "", i).line.text(), name_of(i));
  while (left != 0) std::this_thread::yield();
  EXPECT_EQ(seen.size(), 50U);
}

TEST(Reuse, AGuardThatWasForgottenIsNotSeenByTheNext) {
  std::vector<std::shared_ptr<Ambient<std::string>::Guard>> forgotten;
  Handlers handlers;
  handlers.say = [&](Call&, const Line& request, Line& response) -> Answer {
    response.set_text(name_of_user.value_or("nobody"));
    forgotten.emplace_back(new Ambient<std::string>::Guard(name_of_user.set(request.text())));
    co_return Status::OK;
  };
  EchoServer server(handlers, one_at_a_time());
  const auto stub = server.stub();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(say(*stub, name_of(i)).line.text(), "nobody");
}

// A coroutine that says what may cancel it says so for itself alone.
TEST(Reuse, WhatCancelsAHandlerIsItsOwn) {
  std::atomic<int> begun{0};
  Handlers handlers;
  handlers.say = [&](Call&, const Line& request, Line&) -> Answer {
    if (request.text() == "deaf") {
      co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
      co_await asio::this_coro::throw_if_cancelled(false);
      co_return Status::OK;
    }
    ++begun;
    co_await sleep_for(1h);
    co_return Status::OK;
  };
  EchoServer server(handlers, one_at_a_time());
  const auto stub = server.stub();
  for (int round = 0; round < 20; ++round) {
    EXPECT_TRUE(say(*stub, "deaf").status.ok());
    ClientContext context;
    std::thread cancels([&] {
      while (begun <= round) std::this_thread::yield();
      context.TryCancel();
    });
    EXPECT_EQ(say(*stub, "", context).status.error_code(), StatusCode::CANCELLED);
    cancels.join();
    server.wait_until_idle();  // it ends: nothing but the cancellation wakes it
  }
  EXPECT_EQ(server->counters().finished.at(StatusCode::CANCELLED), 20U);
}

TEST(Reuse, MessagesAreEmptyForEachCall) {
  Handlers handlers;
  handlers.say = [&](Call&, const Line& request, Line& response) -> Answer {
    EXPECT_EQ(response.ByteSizeLong(), 0U);
    if (request.number() % 2 == 0) response = request;
    co_return Status::OK;
  };
  EchoServer server(handlers, one_at_a_time());
  const auto stub = server.stub();
  for (int i = 0; i < 40; ++i) {
    ClientContext context;
    Line answer;
    const std::string text(i % 3 == 0 ? 100'000U : 10U, 'x');
    ASSERT_TRUE(stub->Say(&context, i % 5 == 0 ? Line() : line_of(text, i), &answer).ok());
    EXPECT_EQ(answer.text(), i % 2 == 0 && i % 5 != 0 ? text : "");
  }
}

// Who asks late, and elsewhere, is told the same.
TEST(Reuse, NamesAreTheSameWhoeverAsksFirst) {
  Pool pool({.minimum = 2});
  Handlers handlers;
  handlers.say = [&](Call& call, const Line&, Line& response) -> Answer {
    const std::string there = co_await offload(
        pool, [] { return std::string(correlation()) + to_text(current_trace.get()->parent); });
    response.set_text(there);
    EXPECT_EQ(there, call.correlation() + to_text(current_trace.get()->parent));
    co_return Status::OK;
  };
  EchoServer server(handlers);
  const auto stub = server.stub();
  std::set<std::string> all;
  for (int i = 0; i < 100; ++i) all.insert(say(*stub, "").line.text());
  EXPECT_EQ(all.size(), 100U);
}

}  // namespace
}  // namespace weft::grpc
