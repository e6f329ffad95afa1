// SPDX-License-Identifier: Apache-2.0
// What is said around the messages: the same on both transports.
#include <gtest/gtest.h>

#include <grpcpp/security/credentials.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <stdexcept>

#include "grpc/test_support.h"

namespace weft::grpc {
namespace {

using ::grpc::ClientContext;
using ::grpc::Status;
using ::grpc::StatusCode;

const std::string some_bytes("\0\xff,\n bytes", 10);

std::string value_of(const Metadata& metadata, const char* name) {
  const auto found = metadata.find(name);
  return found == metadata.end() ? "" : std::string(found->second.data(), found->second.size());
}

TEST(Carrier, MetadataGoBothWays) {
  Handlers handlers;
  handlers.say = [](Call& call, const Line&, Line& response) -> Answer {
    EXPECT_EQ(value_of(call.metadata(), "plain"), "text");
    EXPECT_EQ(value_of(call.metadata(), "key-bin"), some_bytes);
    response.set_number(static_cast<int>(call.metadata().count("twice")));
    EXPECT_EQ(call.metadata().count("grpc-timeout"), 0U);
    EXPECT_EQ(call.metadata().count("te"), 0U);
    call.add_header("early", "header");
    call.add_header("early-bin", some_bytes);
    call.add_trailer("late", "trailer");
    call.add_trailer("late-bin", some_bytes);
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers));
  ClientContext context;
  context.AddMetadata("plain", "text");
  context.AddMetadata("key-bin", some_bytes);
  context.AddMetadata("twice", "1");
  context.AddMetadata("twice", "2");
  const Said said = say(*server.stub(), "", context);
  ASSERT_TRUE(said.status.ok()) << said.status.error_message();
  EXPECT_EQ(said.line.number(), 2);
  EXPECT_EQ(value_of(context.GetServerInitialMetadata(), "early"), "header");
  EXPECT_EQ(value_of(context.GetServerInitialMetadata(), "early-bin"), some_bytes);
  EXPECT_EQ(value_of(context.GetServerTrailingMetadata(), "late"), "trailer");
  EXPECT_EQ(value_of(context.GetServerTrailingMetadata(), "late-bin"), some_bytes);
}

TEST(Carrier, TextsOfStatusesArriveAsTheyAre) {
  const std::string text = "100 % of gr\xc3\xbc\xc3\x9f\nand \"quotes\"";
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line&) -> Answer {
    co_return Status(StatusCode::FAILED_PRECONDITION, text, some_bytes);
  };
  handlers.count = [&](Call&, const Line&, Writer<Line>& writer) -> Answer {
    co_await writer.write(line_of("one"));
    co_return Status(StatusCode::ABORTED, text);
  };
  EchoServer server(std::move(handlers));
  const auto stub = server.stub();
  const Said said = say(*stub, "");
  EXPECT_EQ(said.status.error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(said.status.error_message(), text);
  EXPECT_EQ(said.status.error_details(), some_bytes);
  ClientContext context;
  const auto reader = stub->Count(&context, line_of(""));
  Line line;
  EXPECT_TRUE(reader->Read(&line));
  EXPECT_FALSE(reader->Read(&line));
  const Status status = reader->Finish();
  EXPECT_EQ(status.error_code(), StatusCode::ABORTED);
  EXPECT_EQ(status.error_message(), text);
}

TEST(Carrier, AHandlerKnowsWhoAsks) {
  Handlers handlers;
  handlers.say = [](Call& call, const Line&, Line& response) -> Answer {
    response.set_text(call.peer());
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers));
  EXPECT_EQ(say(*server.stub(), "").line.text().substr(0, 15), "ipv4:127.0.0.1:");
}

TEST(Carrier, AContextIsOfGrpcsTransport) {
  Handlers handlers;
  handlers.say = [](Call& call, const Line&, Line& response) -> Answer {
    if (is_on_weft()) {
      EXPECT_THROW(static_cast<void>(call.context()), std::logic_error);
      EXPECT_THROW(static_cast<void>(call.queue().completions()), std::logic_error);
    } else {
      response.set_text(call.context().peer());
    }
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers));
  EXPECT_TRUE(say(*server.stub(), "").status.ok());
}

TEST(Carrier, AnAnswerThatIsTooLongIsNotSent) {
  Handlers handlers;
  handlers.say = [](Call&, const Line& request, Line& response) -> Answer {
    response.set_text(std::string(static_cast<std::size_t>(request.text().size()) * 1000, 'x'));
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), {.workers = 1, .most_sent_bytes = 2000});
  const auto stub = server.stub();
  EXPECT_EQ(say(*stub, "12345").status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(say(*stub, "1").status.ok());
  server.wait_until_idle();
  if (is_on_weft()) {
    EXPECT_EQ(server->counters().finished.at(StatusCode::RESOURCE_EXHAUSTED), 1U);
  }
}

// Long messages take many frames, and more than a window, both ways.
TEST(Carrier, LongMessagesAreWhole) {
  EchoServer server;
  const auto stub = server.stub();
  for (const std::size_t bytes : {16'000U, 70'000U, 1'000'000U, 4'000'000U}) {
    std::string text(bytes, 'x');
    for (std::size_t i = 0; i < bytes; i += 997) text[i] = static_cast<char>('a' + i % 26);
    const Said said = say(*stub, text);
    ASSERT_TRUE(said.status.ok()) << said.status.error_message();
    EXPECT_EQ(said.line.text() == text, true) << bytes;
  }
  ClientContext context;
  const auto stream = stub->Chat(&context);
  for (int i = 0; i < 5; ++i) {
    Line line;
    ASSERT_TRUE(stream->Write(line_of(std::string(1'000'000, 'y'), i)));
    ASSERT_TRUE(stream->Read(&line));
    EXPECT_EQ(line.text().size(), 1'000'000U);
  }
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(Carrier, ClientsMayCompressOnGrpcsTransportOnly) {
  EchoServer server;
  const auto stub = server.stub();
  ClientContext context;
  context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  const Said said = say(*stub, std::string(10'000, 'x'), context);
  EXPECT_EQ(said.status.error_code(), is_on_weft() ? StatusCode::UNIMPLEMENTED : StatusCode::OK);
}

TEST(Carrier, CredentialsAreOfGrpcsTransport) {
  ServerOptions options{.transport = Transport::weft, .workers = 1};
  options.credentials = ::grpc::InsecureServerCredentials();
  Server server(std::move(options));
  try {
    server.start();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("Transport::grpc"), std::string::npos);
  }
}

// Whoever comes goes to the worker that has the fewest.
TEST(Carrier, ConnectionsAreSharedOut) {
  const Only only(Transport::weft);  // gRPC's workers share all connections
  Handlers handlers;
  handlers.say = [](Call&, const Line&, Line& response) -> Answer {
    response.set_number(static_cast<int>(::gettid()));
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), {.workers = 3});
  std::map<int, int> connections_of;
  std::vector<std::unique_ptr<Echo::Stub>> stubs;
  for (int i = 0; i < 9; ++i) {
    stubs.push_back(server.stub());
    ++connections_of[say(*stubs.back(), "").line.number()];
  }
  ASSERT_EQ(connections_of.size(), 3U);
  for (const auto& [thread, number] : connections_of) EXPECT_EQ(number, 3) << thread;
}

// A client that does not read keeps none of the others of its connection from being served.
TEST(Carrier, AStreamThatIsNotReadIsInNobodysWay) {
  Handlers handlers;
  handlers.count = [&](Call&, const Line&, Writer<Line>& writer) -> Answer {
    const Line line = line_of(std::string(64 << 10, 'x'));
    for (int i = 0; i < 1000; ++i) co_await writer.write(line);
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), {.workers = 1});
  const auto stub = server.stub();
  ClientContext context;
  const auto reader = stub->Count(&context, line_of(""));
  Line line;
  ASSERT_TRUE(reader->Read(&line));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(say(*stub, "x").status.ok());
  context.TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), StatusCode::CANCELLED);
}

}  // namespace
}  // namespace weft::grpc
