// SPDX-License-Identifier: Apache-2.0
// Calls of all four kinds, by a client over the loopback.
#include <weft/grpc_server.h>
#include <weft/trace.h>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <stdexcept>

#include "grpc/test_support.h"
#include "measure/histogram.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;
using ::grpc::ClientContext;
using ::grpc::Status;
using ::grpc::StatusCode;

std::string text_of(const std::multimap<::grpc::string_ref, ::grpc::string_ref>& metadata,
                    const char* name) {
  const auto found = metadata.find(name);
  return found == metadata.end() ? "" : std::string(found->second.data(), found->second.size());
}

TEST(Server, AnswersUnaryCalls) {
  EchoServer server;
  const auto stub = server.stub();
  for (int i = 0; i < 100; ++i) {
    const Said said = say(*stub, std::to_string(i));
    ASSERT_TRUE(said.status.ok()) << said.status.error_message();
    ASSERT_EQ(said.line.text(), std::to_string(i));
  }
  server.wait_until_idle();
  const ServerCounters counters = server->counters();
  EXPECT_EQ(counters.started, 100U);
  EXPECT_EQ(counters.finished.at(StatusCode::OK), 100U);
  EXPECT_EQ(server->durations().count(), 100U);
}

TEST(Server, ListensOnSocketsOfTheFileSystem) {
  const std::string address = "unix:" + testing::TempDir() + "weft-grpc-test.sock";
  EchoServer server({}, {.addresses = {address}, .workers = 1});
  const auto stub =
      Echo::NewStub(::grpc::CreateChannel(address, ::grpc::InsecureChannelCredentials()));
  EXPECT_EQ(say(*stub, "hello").line.text(), "hello");
}

TEST(Server, StreamsToTheClient) {
  EchoServer server;
  const auto stub = server.stub();
  ClientContext context;
  const auto reader = stub->Count(&context, line_of("", 1000));
  Line line;
  int expected = 0;
  while (reader->Read(&line)) EXPECT_EQ(line.number(), expected++);
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_EQ(expected, 1000);
}

TEST(Server, DoesNotWriteFasterThanTheClientReads) {
  std::atomic<int> written{0};
  Handlers handlers;
  handlers.count = [&](Call&, const Line&, Writer<Line>& writer) -> Answer {
    const Line line = line_of(std::string(64 << 10, 'x'));
    for (int i = 0; i < 2000; ++i) {
      co_await writer.write(line);
      ++written;
    }
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers));
  const auto stub = server.stub();
  ClientContext context;
  const auto reader = stub->Count(&context, line_of(""));
  Line line;
  ASSERT_TRUE(reader->Read(&line));
  // It stops by itself, long before the end: 128 MiB are not kept for who does not read.
  int before = -1;
  while (before != written) {
    before = written;
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_LT(before, 1000);
  int read = 1;
  while (reader->Read(&line)) ++read;
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_EQ(read, 2000);
}

TEST(Server, TakesStreamsOfTheClient) {
  EchoServer server;
  const auto stub = server.stub();
  ClientContext context;
  Line sum;
  const auto writer = stub->Add(&context, &sum);
  for (int i = 1; i <= 100; ++i) EXPECT_TRUE(writer->Write(line_of("", i)));
  writer->WritesDone();
  EXPECT_TRUE(writer->Finish().ok());
  EXPECT_EQ(sum.number(), 5050);
}

TEST(Server, TalksInBothDirections) {
  EchoServer server;
  const auto stub = server.stub();
  ClientContext context;
  const auto stream = stub->Chat(&context);
  for (int i = 0; i < 100; ++i) {
    Line line;
    ASSERT_TRUE(stream->Write(line_of("", i)));
    ASSERT_TRUE(stream->Read(&line));
    ASSERT_EQ(line.number(), i);
  }
  stream->WritesDone();
  Line line;
  EXPECT_FALSE(stream->Read(&line));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(Server, GivesTheHandlerItsClientsNames) {
  Handlers handlers;
  handlers.say = [](Call& call, const Line&, Line& response) -> Answer {
    co_await sleep_for(1us);
    EXPECT_EQ(call.method(), "/weft.grpc_test.Echo/Say");
    EXPECT_EQ(call.correlation(), correlation());
    ClientContext next;
    propagate(next);
    response.set_text(std::string(correlation()) + " " + to_text(current_trace.get()->parent) +
                      " " + current_trace.get()->state);
    EXPECT_LE(next.deadline() - std::chrono::system_clock::now(), 1h);
    EXPECT_GT(next.deadline() - std::chrono::system_clock::now(), 1min);
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers));
  const auto stub = server.stub();
  ClientContext context;
  context.AddMetadata("x-request-id", "order-17");
  context.AddMetadata("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  context.AddMetadata("tracestate", "a=1");
  context.set_deadline(std::chrono::system_clock::now() + 30min);
  const Said said = say(*stub, "", context);
  EXPECT_EQ(said.line.text().substr(0, 45), "order-17 00-0af7651916cd43dd8448eb211c80319c-");
  EXPECT_EQ(said.line.text().substr(said.line.text().size() - 4), " a=1");
  EXPECT_EQ(said.line.text().find("b7ad6b7169203331"), std::string::npos) << "a span of its own";
  EXPECT_EQ(text_of(context.GetServerInitialMetadata(), "x-request-id"), "order-17");
}

TEST(Server, NamesACallWhoseClientHasNoNameForIt) {
  Handlers handlers;
  handlers.say = [](Call&, const Line&, Line& response) -> Answer {
    response.set_text(std::string(correlation()));
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers));
  const auto stub = server.stub();
  ClientContext context;
  context.AddMetadata("x-request-id", "not one, \"surely\"");
  const Said first = say(*stub, "", context);
  EXPECT_EQ(first.line.text().size(), 32U);
  EXPECT_EQ(context.GetServerInitialMetadata().count("x-request-id"), 0U);
  EXPECT_NE(say(*stub, "").line.text(), first.line.text());
}

TEST(Server, AnswersWhatAHandlerThrows) {
  std::promise<std::string> told;
  Handlers handlers;
  handlers.say = [](Call&, const Line& request, Line&) -> Answer {
    if (request.text() == "cancelled") throw Cancelled(CancelReason::overload);
    co_await sleep_for(1us);
    throw std::runtime_error("password=1234");
  };
  ServerOptions options{.workers = 1};
  options.on_exception = [&](std::string_view method, std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
      told.set_value(std::string(method) + " " + exception.what());
    }
  };
  EchoServer server(std::move(handlers), std::move(options));
  const auto stub = server.stub();
  const Said said = say(*stub, "");
  EXPECT_EQ(said.status.error_code(), StatusCode::INTERNAL);
  EXPECT_EQ(said.status.error_message(), "the handler has failed");
  EXPECT_EQ(told.get_future().get(), "/weft.grpc_test.Echo/Say password=1234");
  EXPECT_EQ(say(*stub, "cancelled").status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(server->counters().thrown, 1U);
}

TEST(Server, AHandlerThatIsNoCoroutineMayThrow) {
  Handlers handlers;
  handlers.say = [](Call&, const Line&, Line&) -> Answer { throw std::runtime_error("early"); };
  EchoServer server(std::move(handlers));
  EXPECT_EQ(say(*server.stub(), "").status.error_code(), StatusCode::INTERNAL);
}

TEST(Server, RefusesWhatIsNotAdmitted) {
  std::atomic<int> handled{0};
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line&) -> Answer {
    ++handled;
    co_return Status::OK;
  };
  ServerOptions options{.workers = 1};
  options.refuse = [](const Arrival& arrival) -> std::optional<Refusal> {
    EXPECT_EQ(arrival.method, "/weft.grpc_test.Echo/Say");
    EXPECT_EQ(arrival.priority, Priority::low);
    if (text_of(arrival.metadata, "tier") == "gold") return std::nullopt;
    return Refusal{"queue-delay", 250ms};
  };
  EchoServer server(std::move(handlers), std::move(options));
  const auto stub = server.stub();
  ClientContext refused;
  EXPECT_EQ(say(*stub, "", refused).status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(text_of(refused.GetServerTrailingMetadata(), "grpc-retry-pushback-ms"), "250");
  EXPECT_EQ(text_of(refused.GetServerTrailingMetadata(), "weft-reason"), "queue-delay");
  ClientContext admitted;
  admitted.AddMetadata("tier", "gold");
  EXPECT_TRUE(say(*stub, "", admitted).status.ok());
  server.wait_until_idle();
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(server->counters().refused.at("queue-delay"), 1U);
  EXPECT_EQ(server->counters().started, 2U);
}

TEST(Server, RefusesMessagesThatAreTooLong) {
  std::atomic<int> handled{0};
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line&) -> Answer {
    ++handled;
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), {.workers = 1, .most_received_bytes = 1000});
  const auto stub = server.stub();
  EXPECT_EQ(say(*stub, std::string(2000, 'x')).status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(handled, 0);
  EXPECT_TRUE(say(*stub, "short").status.ok());
}

TEST(Server, TellsOfEachCallThatIsOver) {
  std::mutex mutex;
  std::vector<CallRecord> records;
  std::vector<std::string> correlations;
  ServerOptions options{.workers = 1};
  options.on_finished = [&](const CallRecord& record) {
    const std::scoped_lock guard(mutex);
    records.push_back(record);
    correlations.emplace_back(record.correlation);
  };
  EchoServer server({}, std::move(options));
  ClientContext context;
  context.AddMetadata("x-request-id", "order-18");
  say(*server.stub(), "hello", context);
  server.wait_until_idle();
  const std::scoped_lock guard(mutex);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].method, "/weft.grpc_test.Echo/Say");
  EXPECT_EQ(records[0].code, StatusCode::OK);
  EXPECT_TRUE(records[0].was_delivered);
  EXPECT_EQ(records[0].request_bytes, 7U);
  EXPECT_EQ(records[0].response_bytes, 7U);
  EXPECT_EQ(correlations[0], "order-18");
  EXPECT_NE(records[0].peer, "");
}

TEST(Server, KeepsItsContextOnThePool) {
  Pool pool({.minimum = 2});
  Handlers handlers;
  handlers.say = [&](Call& call, const Line&, Line& response) -> Answer {
    const auto here = std::this_thread::get_id();
    const auto there = co_await offload(pool, [&] {
      response.set_text(std::string(correlation()));
      EXPECT_EQ(cancellation().deadline(), call.token().deadline());
      return std::this_thread::get_id();
    });
    EXPECT_NE(here, there);
    EXPECT_EQ(here, std::this_thread::get_id());
    EXPECT_TRUE(call.queue().is_here());
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers));
  ClientContext context;
  context.AddMetadata("x-request-id", "order-19");
  context.set_deadline(std::chrono::system_clock::now() + 1h);
  EXPECT_EQ(say(*server.stub(), "", context).line.text(), "order-19");
}

TEST(Server, DoesNotStartWithAMethodThatNobodyAnswers) {
  Echo::AsyncService service;
  Server server(on_tested_transport({.workers = 1}));
  server.unary(service, &Echo::AsyncService::RequestSay,
               [](Call&, const Line&, Line&) -> Answer { co_return Status::OK; });
  try {
    server.start();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/weft.grpc_test.Echo/Count has no handler"),
              std::string::npos);
  }
}

TEST(Server, SaysWhereItCannotListen) {
  EchoServer first({}, {.workers = 1});
  Server second(on_tested_transport({.addresses = {"unix:/nowhere/at/all"}, .workers = 1}));
  try {
    second.start();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/at/all"), std::string::npos);
  }
}

}  // namespace
}  // namespace weft::grpc
