// SPDX-License-Identifier: Apache-2.0
// How calls end before they are done: deadlines, clients that go, servers that shut down.
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <future>
#include <map>
#include <mutex>

#include "grpc/test_support.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;
using ::grpc::ClientContext;
using ::grpc::Status;
using ::grpc::StatusCode;

std::chrono::steady_clock::time_point in(std::chrono::nanoseconds duration) {
  return std::chrono::steady_clock::now() + duration;
}

// Notes why what a handler waits for was given up.
struct Reasons {
  std::atomic<int> begun{0};
  std::mutex mutex;
  std::vector<CancelReason> seen;

  template <class Body>
  Answer note(Body body) {
    ++begun;
    try {
      co_await body();
    } catch (...) {
      const std::scoped_lock guard(mutex);
      seen.push_back(cancellation().reason());
      throw;
    }
    co_return Status::OK;
  }
  std::vector<CancelReason> all() {
    const std::scoped_lock guard(mutex);
    return seen;
  }
  void wait_for(int number) const {
    while (begun < number) std::this_thread::yield();
  }
};

boost::asio::awaitable<void> sleep_long() {
  co_await sleep_for(1h);
}

Handlers sleeping(Reasons& reasons) {
  Handlers handlers;
  handlers.say = [&](Call&, const Line& request, Line&) {
    return reasons.note([kind = request.text()]() -> boost::asio::awaitable<void> {
      if (kind == "asio") {
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, 1h);
        co_await timer.async_wait(boost::asio::use_awaitable);
      }
      co_await sleep_long();
    });
  };
  handlers.add = [&](Call&, Reader<Line>& reader, Line&) {
    return reasons.note([&]() -> boost::asio::awaitable<void> {
      while (co_await reader.read()) {
      }
    });
  };
  handlers.count = [&](Call&, const Line&, Writer<Line>& writer) {
    return reasons.note([&]() -> boost::asio::awaitable<void> {
      const Line line = line_of(std::string(64 << 10, 'x'));
      for (;;) co_await writer.write(line);
    });
  };
  return handlers;
}

TEST(Endings, AtTheDeadlineTheHandlerUnwinds) {
  Reasons reasons;
  EchoServer server(sleeping(reasons));
  const auto stub = server.stub();
  for (const char* const kind : {"alarm", "asio"}) {
    ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + 1s);
    EXPECT_EQ(say(*stub, kind, context).status.error_code(), StatusCode::DEADLINE_EXCEEDED);
  }
  server.wait_until_idle();
  EXPECT_EQ(reasons.all(), (std::vector(2, CancelReason::deadline)));
  EXPECT_EQ(server->counters().finished.at(StatusCode::DEADLINE_EXCEEDED), 2U);
}

// The worker is busy until after the deadline: the call and its end are read at once.
TEST(Endings, ADeadlineThatPassesBeforeTheCallIsReadIsOne) {
  std::promise<void> read_on;
  std::atomic<bool> is_busy{false};
  Handlers handlers;
  handlers.say = [&](Call&, const Line& request, Line&) -> Answer {
    if (request.text() == "late") co_await sleep_for(1h);
    if (request.text() == "busy") {
      is_busy = true;
      read_on.get_future().wait();  // as no handler should
    }
    co_return Status::OK;
  };
  EchoServer server(handlers, {.workers = 1});
  const auto stub = server.stub();
  const auto late_stub = server.stub();
  EXPECT_TRUE(say(*late_stub, "connects").status.ok());
  auto busy = std::async([&] { return say(*stub, "busy").status.error_code(); });
  while (!is_busy) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) {
    ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + 200ms);
    EXPECT_EQ(say(*late_stub, "late", context).status.error_code(), StatusCode::DEADLINE_EXCEEDED);
  }
  read_on.set_value();
  EXPECT_EQ(busy.get(), StatusCode::OK);
  EXPECT_TRUE(say(*late_stub, "comes behind them").status.ok());
  server.wait_until_idle();
  // A client that had no CPU for so long has sent nothing; but not all three of them.
  const std::uint64_t late = server->counters().started - 3;
  EXPECT_GT(late, 0U);
  EXPECT_EQ(server->counters().finished,
            (ServerCounters::ByCode{{StatusCode::OK, 3}, {StatusCode::DEADLINE_EXCEEDED, late}}));
}

TEST(Endings, ACallMayTakeAsLongAsTheServerLetsIt) {
  Reasons reasons;
  Handlers handlers = sleeping(reasons);
  handlers.chat = Handlers().chat;
  EchoServer server(handlers, {.workers = 2, .longest_call = 100ms});
  const auto stub = server.stub();
  ClientContext endless;
  const auto stream = stub->Chat(&endless);
  for (const auto deadline : {0h, 1h}) {  // of the client; 0: none
    for (const char* const kind : {"alarm", "asio"}) {
      ClientContext context;
      if (deadline != 0h) context.set_deadline(std::chrono::system_clock::now() + deadline);
      EXPECT_EQ(say(*stub, kind, context).status.error_code(), StatusCode::DEADLINE_EXCEEDED);
    }
  }
  EXPECT_EQ(reasons.all(), (std::vector(4, CancelReason::deadline)));
  // Streams last.
  Line line;
  EXPECT_TRUE(stream->Write(line_of("hello")) && stream->Read(&line));
  EXPECT_TRUE(stream->WritesDone());
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(server->counters().finished.at(StatusCode::DEADLINE_EXCEEDED), 4U);
}

TEST(Endings, TheHandlerSeesTheEarlierOfTwoDeadlines) {
  std::atomic<std::chrono::nanoseconds> left{0ns};
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line&) -> Answer {
    left = cancellation().remaining();
    co_return Status::OK;
  };
  EchoServer server(handlers, {.workers = 1, .longest_call = 1h});
  const auto stub = server.stub();
  EXPECT_TRUE(say(*stub, "").status.ok());
  EXPECT_LE(left.load(), 1h);
  EXPECT_GT(left.load(), 10min);
  for (const auto& [deadline, longest] : {std::pair(10min, 10min), std::pair(1440min, 60min)}) {
    ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + deadline);
    EXPECT_TRUE(say(*stub, "", context).status.ok());
    EXPECT_LE(left.load(), longest + 10s);  // gRPC rounds up
    EXPECT_GT(left.load(), longest / 2);
  }
}

TEST(Endings, WhenTheClientGoesTheHandlerUnwinds) {
  Reasons reasons;
  EchoServer server(sleeping(reasons));
  const auto stub = server.stub();
  ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + 1h);
  auto said = std::async([&] { return say(*stub, "", context).status.error_code(); });
  reasons.wait_for(1);
  context.TryCancel();
  EXPECT_EQ(said.get(), StatusCode::CANCELLED);
  server.wait_until_idle();
  EXPECT_EQ(reasons.all(), std::vector{CancelReason::client});
}

// The end of what a client has sent, and a client that is no more, look the same to gRPC.
TEST(Endings, AClientThatGoesHasNotSentAll) {
  Reasons reasons;
  EchoServer server(sleeping(reasons));
  const auto stub = server.stub();
  for (int round = 0; round < 50; ++round) {
    ClientContext context;
    Line sum;
    const auto writer = stub->Add(&context, &sum);
    writer->Write(line_of("", 1));
    reasons.wait_for(round + 1);
    context.TryCancel();
    EXPECT_FALSE(writer->Finish().ok());
  }
  server.wait_until_idle();
  EXPECT_EQ(reasons.all(), (std::vector(50, CancelReason::client)));
  EXPECT_EQ(server->counters().finished.at(StatusCode::CANCELLED), 50U);
}

TEST(Endings, AWriterIsToldThatNobodyReads) {
  Reasons reasons;
  EchoServer server(sleeping(reasons));
  const auto stub = server.stub();
  for (int round = 0; round < 20; ++round) {
    ClientContext context;
    const auto reader = stub->Count(&context, line_of(""));
    Line line;
    ASSERT_TRUE(reader->Read(&line));
    context.TryCancel();
    EXPECT_FALSE(reader->Finish().ok());
  }
  server.wait_until_idle();
  EXPECT_EQ(reasons.all().size(), 20U);
}

TEST(Endings, ThousandsOfCancelledCallsLeaveNothing) {
  Pool pool({.minimum = 2});
  std::atomic<int> inside{0};
  Handlers handlers;
  handlers.say = [&](Call&, const Line& request, Line& response) -> Answer {
    struct Inside {
      std::atomic<int>& number;
      explicit Inside(std::atomic<int>& own) : number(own) { ++number; }
      ~Inside() { --number; }
    };
    const Inside counted(inside);
    if (request.number() % 2 == 0) co_await sleep_for(200us);
    if (request.number() % 5 == 0) co_await offload(pool, [] { std::this_thread::yield(); });
    response = request;
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers));
  const auto one = server.stub();
  const auto other = server.stub();
  std::map<StatusCode, int> codes;
  ManyCalls({one.get(), other.get()})
      .run(
          6000, 100,
          [](std::size_t index, ClientContext& context) {
            if (index % 7 == 0) context.set_deadline(std::chrono::system_clock::now() + 1ms);
          },
          [&](std::size_t, const Status& status, const Line&) { ++codes[status.error_code()]; },
          true);
  server.wait_until_idle();
  EXPECT_EQ(inside, 0);
  EXPECT_GT(codes[StatusCode::CANCELLED], 0);
  EXPECT_GT(codes[StatusCode::OK], 0);
  EXPECT_EQ(
      codes[StatusCode::OK] + codes[StatusCode::CANCELLED] + codes[StatusCode::DEADLINE_EXCEEDED],
      6000);
  EXPECT_EQ(server->counters().thrown, 0U);
}

TEST(Endings, ShutdownWaitsForCallsUnderWay) {
  std::promise<void> begun;
  std::atomic<bool> may_end{false};
  Handlers handlers;
  handlers.say = [&](Call&, const Line& request, Line& response) -> Answer {
    begun.set_value();
    while (!may_end) co_await sleep_for(1ms);
    response = request;
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers));
  const auto stub = server.stub();
  auto said = std::async([&] { return say(*stub, "hello"); });
  begun.get_future().wait();
  std::thread ends([&] { server->shutdown(in(1min)); });
  std::this_thread::sleep_for(20ms);
  may_end = true;
  EXPECT_EQ(said.get().line.text(), "hello");
  ends.join();
  EXPECT_EQ(server->counters().in_flight, 0U);
  EXPECT_EQ(server->counters().armed, 0U);
  EXPECT_EQ(say(*stub, "too late").status.error_code(), StatusCode::UNAVAILABLE);
}

TEST(Endings, AtItsDeadlineShutdownCancels) {
  Reasons reasons;
  EchoServer server(sleeping(reasons));
  const auto stub = server.stub();
  auto slept = std::async([&] { return say(*stub, "").status.error_code(); });
  auto read = std::async([&] {
    ClientContext context;
    Line sum;
    const auto writer = stub->Add(&context, &sum);
    writer->Write(line_of("", 1));
    return writer->Finish().error_code();
  });
  reasons.wait_for(2);
  server->shutdown(in(20ms));
  EXPECT_EQ(slept.get(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(read.get(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(reasons.all(), (std::vector(2, CancelReason::shutdown)));
}

TEST(Endings, AHandlerThatDoesNotListenIsWaitedFor) {
  std::promise<void> begun;
  std::atomic<bool> has_ended{false};
  Pool pool({.minimum = 1});
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line&) -> Answer {
    co_await offload(pool, [&] {
      begun.set_value();
      while (!cancellation().is_cancelled()) std::this_thread::yield();
      std::this_thread::sleep_for(50ms);
      has_ended = true;
    });
    co_return Status::OK;
  };
  ServerOptions options{.workers = 1};
  options.unwind_time = 1ms;
  EchoServer server(std::move(handlers), std::move(options));
  const auto stub = server.stub();
  auto said = std::async([&] { return say(*stub, "").status; });
  begun.get_future().wait();
  server->shutdown(in(1ms));
  EXPECT_TRUE(has_ended);
  EXPECT_FALSE(said.get().ok());
}

// Whatever was answered was answered to somebody, and whoever was not knows it.
TEST(Endings, ShutdownUnderLoadLosesNothing) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<std::uint64_t> handled{0};
    Handlers handlers;
    handlers.say = [&](Call&, const Line& request, Line& response) -> Answer {
      if (request.number() % 3 == 0) co_await sleep_for(100us);
      response = request;
      ++handled;
      co_return Status::OK;
    };
    EchoServer server(std::move(handlers));
    std::map<StatusCode, std::uint64_t> codes;
    std::atomic<std::uint64_t> ended{0};
    std::thread load([&] {
      const auto one = server.stub();
      const auto other = server.stub();
      ManyCalls({one.get(), other.get()})
          .run(
              2000, 50, [](std::size_t, ClientContext&) {},
              [&](std::size_t index, const Status& status, const Line& line) {
                ++codes[status.error_code()];
                ++ended;
                EXPECT_TRUE(!status.ok() || line.number() == static_cast<int>(index));
              });
    });
    while (ended < 100 + 20 * static_cast<std::uint64_t>(round)) std::this_thread::yield();
    server->shutdown(in(round % 2 == 0 ? 1min : 0s));
    load.join();
    const ServerCounters counters = server->counters();
    EXPECT_EQ(counters.in_flight, 0U);
    EXPECT_EQ(counters.armed, 0U);
    EXPECT_GE(handled, codes[StatusCode::OK]);
    EXPECT_EQ(codes[StatusCode::OK] + codes[StatusCode::UNAVAILABLE] + codes[StatusCode::CANCELLED],
              2000U);
    EXPECT_TRUE(round % 2 != 0 || handled == codes[StatusCode::OK]) << "an answer was lost";
  }
}

TEST(Endings, AServerThatWasNeverStartedEnds) {
  const Server server(on_tested_transport({.workers = 1}));
  EXPECT_EQ(server.counters().started, 0U);
}

}  // namespace
}  // namespace weft::grpc
