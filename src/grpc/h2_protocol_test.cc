// SPDX-License-Identifier: Apache-2.0
// What gRPC's page about HTTP/2 wants answered, and how the end is told; frame by frame.
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "grpc/h2_raw_client.h"
#include "grpc/test_support.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;
using ::grpc::Status;

ServerOptions own_options(ServerOptions options = {.workers = 1}) {
  return options;
}

// All of these are about weft's transport.
class H2Protocol : public testing::Test {
 protected:
  const Only only_{Transport::weft};

  // Trailers-Only, with this status.
  static void expect_refused(RawClient& client, std::uint32_t stream, const std::string& status) {
    auto answer = client.answer(stream);
    EXPECT_TRUE(answer.is_whole);
    EXPECT_EQ(answer.header_frames, 1);
    EXPECT_EQ(answer.fields[":status"], "200");
    EXPECT_EQ(answer.fields["grpc-status"], status) << answer.fields["grpc-message"];
    EXPECT_EQ(answer.data, "");
  }
  static std::string said(RawClient& client, std::uint32_t stream) {
    client.send_head(stream, request_fields());
    client.send_data(stream, raw_message("\x0a\x02hi"));
    auto answer = client.answer(stream);
    return answer.fields["grpc-status"] == "0" ? answer.data : "";
  }
  static RawClient greeted(EchoServer& server) {
    RawClient client(server->ports()[0]);
    client.hello();
    return client;
  }
};

TEST_F(H2Protocol, AnAnswerIsHeadersAMessageAndTrailers) {
  EchoServer server({}, own_options());
  RawClient client = greeted(server);
  client.send_head(1, request_fields());
  client.send_data(1, raw_message("\x0a\x02hi"));
  auto answer = client.answer(1);
  EXPECT_TRUE(answer.is_whole);
  EXPECT_EQ(answer.header_frames, 2);
  EXPECT_EQ(answer.fields[":status"], "200");
  EXPECT_EQ(answer.fields["content-type"], "application/grpc");
  EXPECT_EQ(answer.fields["grpc-status"], "0");
  EXPECT_EQ(answer.data, raw_message("\x0a\x02hi"));
}

TEST_F(H2Protocol, MessagesComeInAnyPieces) {
  EchoServer server({}, own_options());
  RawClient client = greeted(server);
  const std::string message = raw_message("\x0a\x02hi");
  client.send_head(1, request_fields());
  for (const char byte : message) client.send_data(1, std::string(1, byte), 0);
  client.send_data(1, "");
  EXPECT_EQ(client.answer(1).data, message);
}

TEST_F(H2Protocol, WhatIsNoCallOfGrpcIsAnsweredInHttp) {
  EchoServer server({}, own_options());
  RawClient client = greeted(server);
  RawFields fields = request_fields();
  fields[5].second = "application/json";
  client.send_head(1, fields, RawClient::end_stream);
  EXPECT_EQ(client.answer(1).fields[":status"], "415");
  fields.pop_back();
  client.send_head(3, fields, RawClient::end_stream);
  EXPECT_EQ(client.answer(3).fields[":status"], "415");
  fields = request_fields();
  fields[0].second = "GET";
  client.send_head(5, fields, RawClient::end_stream);
  EXPECT_EQ(client.answer(5).fields[":status"], "405");
  EXPECT_NE(said(client, 7), "");
  server.wait_until_idle();
  EXPECT_EQ(server->counters().started, 1U);
}

TEST_F(H2Protocol, WhatIsWrongWithACallIsSaidInTrailersOnly) {
  EchoServer server({}, own_options());
  RawClient client = greeted(server);
  std::uint32_t stream = 1;
  const auto ask = [&](const std::string& body, const std::string& status,
                       RawFields fields = request_fields()) {
    client.send_head(stream, fields);
    client.send_data(stream, body);
    expect_refused(client, stream, status);
    stream += 2;
  };
  ask(raw_message("x", 7), "13");                                  // no such flag
  ask(raw_message("\x0a\x02hi").substr(0, 7), "13");               // cut short
  ask("", "13");                                                   // no message
  ask(raw_message("\xff\xff\xff"), "13");                          // no Line
  ask(std::string("\0\x7f\xff\xff\xff", 5), "8");                  // too long
  ask(raw_message("x"), "12", request_fields("/no.such/Method"));  // unknown
  RawFields fields = request_fields();
  fields.emplace_back("grpc-timeout", "soon");
  ask(raw_message(""), "13", fields);
  fields = request_fields();
  fields.emplace_back("large", std::string(17'000, 'x'));
  client.send(raw_frame(NGHTTP2_HEADERS, 0, stream, header_block(fields).substr(0, 16'000)));
  client.send(raw_frame(NGHTTP2_CONTINUATION, RawClient::end_headers, stream,
                        header_block(fields).substr(16'000)));
  client.send_data(stream, raw_message(""));
  expect_refused(client, stream, "8");
  EXPECT_NE(said(client, stream + 2), "") << "the connection is as good as before";
}

TEST_F(H2Protocol, WhoCompressesIsToldWhatIsUnderstood) {
  EchoServer server({}, own_options());
  RawClient client = greeted(server);
  RawFields fields = request_fields();
  fields.emplace_back("grpc-encoding", "gzip");
  client.send_head(1, fields);
  client.send_data(1, raw_message("x", 1));
  auto answer = client.answer(1);
  EXPECT_EQ(answer.fields["grpc-status"], "12");
  EXPECT_EQ(answer.fields["grpc-accept-encoding"], "identity");
}

TEST_F(H2Protocol, AStreamThatGoesWrongEndsAlone) {
  std::atomic<bool> was_cancelled{false};
  Handlers handlers;
  handlers.chat = [&](Call&, Reader<Line>& reader, Writer<Line>& writer) -> Answer {
    try {
      while (const auto line = co_await reader.read()) co_await writer.write(*line);
    } catch (const Cancelled&) {
      was_cancelled = true;
      throw;
    }
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), own_options());
  RawClient client = greeted(server);
  client.send_head(1, request_fields("/weft.grpc_test.Echo/Chat"));
  client.send_data(1, raw_message("\x0a\x02hi"), 0);
  client.send_data(1, raw_message("x", 9), 0);
  auto answer = client.answer(1);
  EXPECT_EQ(answer.fields["grpc-status"], "13");
  EXPECT_EQ(answer.data, raw_message("\x0a\x02hi"));
  EXPECT_NE(said(client, 3), "");
  server.wait_until_idle();
  EXPECT_TRUE(was_cancelled);
  EXPECT_EQ(server->counters().finished.at(::grpc::StatusCode::INTERNAL), 1U);
}

// The window is given back as the handler reads, and not before.
TEST_F(H2Protocol, WhoIsNotReadMaySendNoMoreThanAWindow) {
  std::promise<void> reads;
  std::shared_future<void> may_read = reads.get_future().share();
  std::atomic<bool> is_waiting{false};
  Handlers handlers;
  handlers.add = [&](Call&, Reader<Line>& reader, Line& response) -> Answer {
    is_waiting = true;
    while (may_read.wait_for(0s) != std::future_status::ready) co_await sleep_for(1ms);
    while (co_await reader.read()) response.set_number(response.number() + 1);
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), own_options());
  RawClient client = greeted(server);
  client.send_head(1, request_fields("/weft.grpc_test.Echo/Add"));
  const std::string message = raw_message("\x0a\x0a" + std::string(10, 'x'));
  std::string piece;
  while (piece.size() + message.size() <= 16'000) piece += message;
  std::size_t sent = 0;
  while (sent + piece.size() <= 256U << 10) {
    client.send_data(1, piece, 0);
    sent += piece.size();
  }
  while (!is_waiting) std::this_thread::yield();
  while (const auto frame = client.next_of(NGHTTP2_WINDOW_UPDATE, 100ms)) {
    EXPECT_EQ(frame->stream, 0U) << "the stream was not read";
  }
  reads.set_value();
  std::optional<RawFrame> update;
  do update = client.next_of(NGHTTP2_WINDOW_UPDATE);
  while (update && update->stream != 1);
  EXPECT_TRUE(update);
  client.send_data(1, "");
  EXPECT_EQ(client.answer(1).fields["grpc-status"], "0");
}

// Neither a message that nobody takes nor its trailers keep the server from ending.
TEST_F(H2Protocol, WhoDoesNotReadIsToldTheEndAllTheSame) {
  std::atomic<int> written{0};
  Handlers handlers;
  handlers.count = [&](Call&, const Line&, Writer<Line>& writer) -> Answer {
    const Line line = line_of(std::string(10'000, 'x'));
    for (;;) {
      co_await writer.write(line);
      ++written;
    }
  };
  EchoServer server(std::move(handlers), own_options());
  RawClient client(server->ports()[0]);
  client.hello(number_bytes(4, 2) + number_bytes(0, 4));  // no window for streams at all
  client.send_head(1, request_fields("/weft.grpc_test.Echo/Count"));
  client.send_data(1, raw_message(""));
  while (written < 6) std::this_thread::yield();
  std::this_thread::sleep_for(20ms);
  EXPECT_LT(written, 20);
  EXPECT_FALSE(server->shutdown(std::chrono::steady_clock::now()));
  auto answer = client.answer(1);
  EXPECT_EQ(answer.fields["grpc-status"], "14");
  EXPECT_EQ(answer.data, "");
  EXPECT_EQ(server->counters().in_flight, 0U);
}

TEST_F(H2Protocol, TheEndIsAnnouncedAndThenTold) {
  EchoServer server({}, own_options());
  RawClient client = greeted(server);
  EXPECT_NE(said(client, 1), "");
  std::thread ends([&] { EXPECT_TRUE(server->shutdown(std::chrono::steady_clock::now() + 1min)); });
  const auto announced = client.next_of(NGHTTP2_GOAWAY);
  ASSERT_TRUE(announced);
  EXPECT_EQ(announced->payload.substr(0, 4), number_bytes(0x7fffffff, 4));
  const auto ping = client.next_of(NGHTTP2_PING);
  ASSERT_TRUE(ping);
  EXPECT_NE(said(client, 3), "") << "what is on its way is still served";
  client.send(raw_frame(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, ping->payload));
  const auto last = client.next_of(NGHTTP2_GOAWAY);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->payload, number_bytes(3, 4) + number_bytes(0, 4));
  EXPECT_FALSE(client.next());
  EXPECT_TRUE(client.has_ended());
  client.close();
  ends.join();
  EXPECT_FALSE(RawClient(server->ports()[0]).is_connected());
}

// What has not begun when time is up may be asked again.
TEST_F(H2Protocol, HalfARequestIsRefusedAtTheEnd) {
  EchoServer server({}, own_options());
  RawClient client = greeted(server);
  EXPECT_NE(said(client, 1), "");
  client.send_head(3, request_fields());
  client.send_data(3, raw_message("\x0a\x02hi").substr(0, 6), 0);
  client.send(raw_frame(NGHTTP2_PING, 0, 0, "12345678"));
  EXPECT_TRUE(client.next_of(NGHTTP2_PING)) << "all has come";
  std::thread ends([&] { server->shutdown(std::chrono::steady_clock::now() + 20ms); });
  const auto reset = client.next_of(NGHTTP2_RST_STREAM);
  ASSERT_TRUE(reset);
  EXPECT_EQ(reset->stream, 3U);
  EXPECT_EQ(reset->payload, number_bytes(NGHTTP2_REFUSED_STREAM, 4));
  client.close();
  ends.join();
  EXPECT_EQ(server->counters().started, 1U);
}

// nghttp2 sends no headers of more than 64 KiB, and whoever waits for them would wait for ever.
TEST_F(H2Protocol, WhatIsToldOfAnErrorIsCutOff) {
  const Status wrong(::grpc::StatusCode::INVALID_ARGUMENT, std::string(100'000, 'x'),
                     std::string(100'000, 'y'));
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line&) -> Answer { co_return wrong; };
  handlers.count = [&](Call&, const Line&, Writer<Line>& writer) -> Answer {
    co_await writer.write(line_of("first"));
    co_return wrong;
  };
  EchoServer server(std::move(handlers), own_options());
  const auto stub = server.stub();
  const auto is_cut_off = [](const Status& status) {
    EXPECT_EQ(status.error_code(), ::grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(status.error_message(), std::string(4096, 'x'));
  };
  is_cut_off(say(*stub, "x").status);
  ::grpc::ClientContext context;
  const auto reader = stub->Count(&context, line_of("x"));
  Line line;
  EXPECT_TRUE(reader->Read(&line));
  EXPECT_FALSE(reader->Read(&line));
  is_cut_off(reader->Finish());
}

TEST_F(H2Protocol, TrailersThatAreTooLongEndTheCall) {
  Handlers handlers;
  handlers.say = [](Call& call, const Line& request, Line& response) -> Answer {
    if (request.text() == "hi") {
      for (int i = 0; i < 100; ++i) {
        call.add_trailer("name-" + std::to_string(i), std::string(1000, 'x'));
      }
    }
    response = request;
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), own_options());
  RawClient client = greeted(server);
  client.send_head(1, request_fields());
  client.send_data(1, raw_message("\x0a\x02hi"));
  EXPECT_FALSE(client.answer(1).is_whole);
  EXPECT_FALSE(client.has_ended()) << "it is told of the call alone";
  server.wait_until_idle();
  client.send_head(3, request_fields());
  client.send_data(3, raw_message("\x0a\x02ho"));
  EXPECT_TRUE(client.answer(3).is_whole);
}

// The kernel has taken the last answer long before a client that reads slowly has, and says things
// meanwhile.
TEST_F(H2Protocol, AnEndLeavesSlowClientsTheTimeToReadWhatTheyWereAnswered) {
  constexpr std::size_t answer_bytes = 2'000'000;
  Handlers handlers;
  handlers.say = [](Call&, const Line&, Line& response) -> Answer {
    response.set_text(std::string(answer_bytes, 'x'));
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), own_options());
  RawClient client(server->ports()[0], 32 << 10);
  constexpr int initial_window = 4;
  client.hello(number_bytes(initial_window, 2) + number_bytes(0x7fffffff, 4));
  client.send(raw_frame(NGHTTP2_WINDOW_UPDATE, 0, 0, number_bytes(0x70000000, 4)));
  client.send_head(1, request_fields());
  client.send_data(1, raw_message("\x0a\x02hi"));
  ASSERT_TRUE(client.next_of(NGHTTP2_HEADERS));
  std::thread ends([&] { server->shutdown(std::chrono::steady_clock::now() + 60s); });
  std::size_t bytes = 0;
  bool is_whole = false;
  while (const auto frame = client.next()) {
    if (frame->type == NGHTTP2_DATA) bytes += frame->payload.size();
    is_whole = is_whole || (frame->stream == 1 && frame->type == NGHTTP2_HEADERS);
    std::this_thread::sleep_for(10ms);
    client.send(raw_frame(NGHTTP2_WINDOW_UPDATE, 0, 0, number_bytes(1, 4)));
  }
  ends.join();
  EXPECT_GT(bytes, answer_bytes);
  EXPECT_TRUE(is_whole);
}

TEST_F(H2Protocol, AClientThatIsSilentIsPingedAndThenGone) {
  ServerOptions options = own_options();
  options.keepalive_interval = 50ms;
  options.keepalive_timeout = 100ms;
  EchoServer server({}, std::move(options));
  RawClient client = greeted(server);
  for (int i = 0; i < 3; ++i) {
    const auto ping = client.next_of(NGHTTP2_PING);
    ASSERT_TRUE(ping);
    client.send(raw_frame(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, ping->payload));
  }
  EXPECT_TRUE(client.next_of(NGHTTP2_PING));
  EXPECT_FALSE(client.next()) << "it did not answer";
  EXPECT_TRUE(client.has_ended());
}

}  // namespace
}  // namespace weft::grpc
