// SPDX-License-Identifier: Apache-2.0
// Clients that mean no good, or are cut off: whatever they send, others are served, and nothing is
// left of them.
#include <gtest/gtest.h>

#include <atomic>
#include <random>

#include "grpc/h2_raw_client.h"
#include "grpc/test_support.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;
using ::grpc::Status;

class H2Hostile : public testing::Test {
 protected:
  const Only only_{Transport::weft};

  void SetUp() override {
    server_ = std::make_unique<EchoServer>(Handlers(), ServerOptions{.workers = 1});
    other_ = server_->stub();
  }
  void TearDown() override {
    const Said said = say(*other_, "still here");
    EXPECT_TRUE(said.status.ok()) << said.status.error_message();
    server_->wait_until_idle();
    EXPECT_EQ((*server_)->counters().in_flight, 0U);
  }
  RawClient client(bool greets = true) {
    RawClient client((*server_)->ports()[0]);
    EXPECT_TRUE(client.is_connected());
    if (greets) client.hello();
    return client;
  }
  static std::string request(std::uint32_t stream) {
    return raw_frame(NGHTTP2_HEADERS, RawClient::end_headers, stream,
                     header_block(request_fields())) +
           raw_frame(NGHTTP2_DATA, RawClient::end_stream, stream, raw_message("\x0a\x02hi"));
  }
  // Streams, each with a frame behind its headers, until the server will not have it.
  static void begin_without_an_end(RawClient& client, int type, const std::string& payload) {
    const std::string head = header_block(request_fields());
    std::uint32_t stream = 1;
    bool goes_on = true;
    for (int i = 0; i < 20'000 && goes_on; ++i, stream += 2) {
      goes_on = client.send(raw_frame(NGHTTP2_HEADERS, RawClient::end_headers, stream, head) +
                            raw_frame(type, 0, stream, payload));
    }
  }
  // It is told to go, or cut off.
  static bool is_ended(RawClient& client) {
    while (client.next()) {
    }
    return client.has_ended();
  }

  std::unique_ptr<EchoServer> server_;
  std::unique_ptr<Echo::Stub> other_;
};

TEST_F(H2Hostile, WhoSpeaksAnotherProtocolIsCutOff) {
  for (const std::string& words :
       {std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), std::string(100, '\0'),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(50, 'x'),
        raw_preface.substr(0, 20) + "XXXXXXXXXXXXXXXXXXXXXXXX"}) {
    RawClient one = client(false);
    one.send(words);
    EXPECT_TRUE(is_ended(one));
  }
}

TEST_F(H2Hostile, AConnectionMayBeCutAnywhere) {
  const std::string all = raw_preface + raw_frame(NGHTTP2_SETTINGS, 0, 0, "") + request(1) +
                          raw_frame(NGHTTP2_HEADERS, RawClient::end_headers, 3,
                                    header_block(request_fields("/weft.grpc_test.Echo/Chat"))) +
                          raw_frame(NGHTTP2_DATA, 0, 3, raw_message("\x0a\x02hi"));
  for (std::size_t cut = 0; cut <= all.size(); cut += 3) {
    RawClient one = client(false);
    one.send(all.substr(0, cut));
    if (cut % 2 == 0) continue;  // with what is sent at once
    if (cut > 24) one.next();    // and when it was heard
  }
}

TEST_F(H2Hostile, WhatIsWrittenInPiecesIsReadInPieces) {
  RawClient one = client(false);
  const std::string all = raw_preface + raw_frame(NGHTTP2_SETTINGS, 0, 0, "") + request(1);
  for (const char byte : all) one.send(std::string(1, byte));
  EXPECT_EQ(one.answer(1).fields["grpc-status"], "0");
}

TEST_F(H2Hostile, RandomBytesBehindTheGreeting) {
  std::mt19937 random(20);
  for (int round = 0; round < 200; ++round) {
    RawClient one = client();
    std::string bytes = request(1);
    for (int i = 0; i < 8; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (round % 2 == 0) {
      bytes.clear();
      for (int i = 0; i < 400; ++i) bytes += static_cast<char>(random());
    }
    one.send(bytes);
  }
}

TEST_F(H2Hostile, FramesWhereNoneMayBe) {
  const std::string data = raw_frame(NGHTTP2_DATA, 0, 1, raw_message("\x0a\x02hi"));
  for (const std::string& frames :
       {request(1) + data + data,                    // after the end
        data,                                        // of an idle stream
        request(2),                                  // of ours
        request(5) + request(3),                     // backwards
        raw_frame(NGHTTP2_CONTINUATION, 4, 1, "x"),  // of nothing
        raw_frame(NGHTTP2_HEADERS, 0, 1, header_block(request_fields())) + data,
        raw_frame(NGHTTP2_WINDOW_UPDATE, 0, 0, number_bytes(0, 4)),    // by nothing
        raw_frame(NGHTTP2_SETTINGS, 0, 0, "12345"),                    // half a setting
        raw_frame(NGHTTP2_HEADERS, 4, 1, "\xff\xff\xff\xff\xff\xff"),  // no HPACK
        raw_frame(NGHTTP2_PUSH_PROMISE, 4, 1, number_bytes(2, 4)),     // of a client
        raw_frame(NGHTTP2_DATA, 0, 1, std::string(20'000, 'x'))}) {    // too long
    RawClient one = client();
    one.send(frames + raw_frame(NGHTTP2_PING, 0, 0, "12345678"));
    one.next_of(NGHTTP2_GOAWAY, 50ms);
  }
}

TEST_F(H2Hostile, HeadersWithoutAnEnd) {
  RawClient one = client();
  one.send(raw_frame(NGHTTP2_HEADERS, 0, 1, header_block(request_fields())));
  const std::string more = raw_frame(NGHTTP2_CONTINUATION, 0, 1, header_block({{"a", "b"}}));
  for (int i = 0; i < 10'000 && one.send(more); ++i) {
  }
  EXPECT_TRUE(is_ended(one));
}

TEST_F(H2Hostile, ResetsWithoutAnEnd) {
  RawClient one = client();
  begin_without_an_end(one, NGHTTP2_RST_STREAM, number_bytes(8, 4));
  EXPECT_TRUE(is_ended(one));
}

// Resets that the client makes us send cost the same.
TEST_F(H2Hostile, ResetsOfOursWithoutAnEnd) {
  RawClient one = client();
  begin_without_an_end(one, NGHTTP2_WINDOW_UPDATE, number_bytes(0, 4));
  EXPECT_TRUE(is_ended(one));
}

TEST_F(H2Hostile, ResetsOfStreamsThatNeverBeganAreHarmlessAndCounted) {
  RawClient one = client();
  const auto reset = [](std::uint32_t stream) {
    return raw_frame(NGHTTP2_RST_STREAM, 0, stream, number_bytes(8, 4));
  };
  one.send(reset(1) + reset(3) + request(5));
  EXPECT_EQ(one.answer(5).fields["grpc-status"], "0");
  bool goes_on = true;
  for (std::uint32_t i = 0; i < 20'000 && goes_on; ++i) goes_on = one.send(reset(7 + 2 * i));
  EXPECT_TRUE(is_ended(one));
}

TEST_F(H2Hostile, PingsWithoutAnEnd) {
  RawClient one = client();
  bool goes_on = true;
  for (int i = 0; i < 10'000 && goes_on; ++i) {
    goes_on = one.send(raw_frame(NGHTTP2_PING, 0, 0, "12345678"));
  }
  const auto last = one.next_of(NGHTTP2_GOAWAY);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->payload.substr(8), "too_many_pings");
  EXPECT_EQ(last->payload.substr(4, 4), number_bytes(NGHTTP2_ENHANCE_YOUR_CALM, 4));
  EXPECT_TRUE(is_ended(one));
}

// Pings are no strikes while answers are sent in between, as clients that measure the line do.
TEST_F(H2Hostile, PingsBetweenCallsAreNoHarm) {
  RawClient one = client();
  for (std::uint32_t i = 0; i < 50; ++i) {
    one.send(raw_frame(NGHTTP2_PING, 0, 0, "12345678") + request(1 + 2 * i));
    ASSERT_EQ(one.answer(1 + 2 * i).fields["grpc-status"], "0") << i;
  }
}

TEST_F(H2Hostile, SettingsWithoutAnEndFromWhoDoesNotRead) {
  RawClient one = client();
  std::string many;
  for (int i = 0; i < 2000; ++i) {
    many += raw_frame(NGHTTP2_SETTINGS, 0, 0, number_bytes(4, 2) + number_bytes(65'535, 4));
  }
  bool goes_on = true;
  for (int i = 0; i < 2000 && goes_on; ++i) goes_on = one.send(many);
  EXPECT_FALSE(goes_on);
}

TEST_F(H2Hostile, MoreStreamsThanAreAllowed) {
  ServerOptions options{.workers = 1};
  options.concurrent_streams = 10;
  EchoServer few({}, std::move(options));
  RawClient one(few->ports()[0]);
  one.hello();
  for (std::uint32_t i = 0; i < 100; ++i) {
    one.send_head(1 + 2 * i, request_fields("/weft.grpc_test.Echo/Chat"));
  }
  one.send(raw_frame(NGHTTP2_PING, 0, 0, "12345678"));
  one.next_of(NGHTTP2_PING, 1s);
  EXPECT_LE(few->counters().in_flight, 10U);
}

}  // namespace
}  // namespace weft::grpc
