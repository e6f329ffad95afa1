// SPDX-License-Identifier: Apache-2.0
// Bodies that are streamed, over real sockets, by each driver.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "serve/test_streams.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view last_chunk = "\r\n0\r\n\r\n";

class StreamedResponse : public ::testing::TestWithParam<Driver> {};

TEST_P(StreamedResponse, IsChunkedAndTheConnectionGoesOn) {
  StreamServer server(GetParam());
  Client client(server.address);
  for (const std::size_t bytes : {1, 15, 16, 255, 256, 4095, 4096, 32768, 32769, 1'000'000}) {
    client.get("/stream/" + std::to_string(bytes));
    EXPECT_EQ(unchunked(client.receive_until(last_chunk)), Digits::text(bytes)) << bytes;
    client.get("/after");
    EXPECT_TRUE(client.receive().ends_with("\r\n\r\n/after"));
  }
  client.get("/crumbs/5000");
  EXPECT_EQ(unchunked(client.receive_until(last_chunk)), Digits::text(5000));
  client.get("/stream/0");
  EXPECT_EQ(unchunked(client.receive_until(last_chunk.substr(2))), "");
}

TEST_P(StreamedResponse, OfPipelinedRequestsComeInOrder) {
  StreamServer server(GetParam());
  Client client(server.address);
  for (int i = 0; i < 8; ++i) {
    client.get("/crumbs/100" + std::to_string(i));
    client.get("/between");
  }
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(unchunked(client.receive_until(last_chunk)), Digits::text(1000 + i));
    EXPECT_TRUE(client.receive().ends_with("\r\n\r\n/between"));
  }
}

TEST_P(StreamedResponse, OfHttp10EndsWithTheConnection) {
  StreamServer server(GetParam());
  Client client(server.address);
  client.send("GET /stream/100000 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto response = client.receive_all();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->find("Transfer-Encoding"), std::string::npos);
  EXPECT_TRUE(response->ends_with("\r\n\r\n" + Digits::text(100'000)));
}

TEST_P(StreamedResponse, ToHeadHasNoBody) {
  StreamServer server(GetParam());
  Client client(server.address);
  client.send("HEAD /stream/5 HTTP/1.1\r\nHost: test\r\n\r\n");
  EXPECT_TRUE(client.receive_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
  client.get("/after");
  EXPECT_TRUE(client.receive().ends_with("\r\n\r\n/after"));
  EXPECT_EQ(server.site.seen.alive, 0);
}

TEST_P(StreamedResponse, ThatFailsNeverLooksWhole) {
  StreamServer server(GetParam());
  for (const std::size_t bytes : {0, 100, 300'000}) {
    const std::string path = "/breaks/" + std::to_string(bytes);
    Client client(server.address);
    client.get(path);
    const auto cut = client.receive_all();
    if (cut) {
      EXPECT_EQ(unchunked(*cut), std::nullopt);
    }
    Client old(server.address);
    old.send("GET " + path + " HTTP/1.0\r\n\r\n");
    EXPECT_EQ(old.receive_all(), std::nullopt) << "an end that a client takes for that of the body";
  }
  while (server.site.seen.alive != 0) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(server.server->totals().failed, 6U);
  Client client(server.address);
  client.get("/after");
  EXPECT_TRUE(client.receive().ends_with("\r\n\r\n/after"));
}

// The only worker is free for others meanwhile; and who takes nothing is not waited for for ever.
TEST_P(StreamedResponse, WaitsForAReaderWithoutAWorker) {
  ReactorLimits limits;
  limits.read_pace = {.grace = 500ms, .bytes_per_second = 1 << 20, .longest_pause = 500ms};
  StreamServer server(GetParam(), limits);
  std::vector<Client> slow;
  for (int i = 0; i < 4; ++i) {
    slow.emplace_back(server.address);
    slow.back().get("/stream/1000000000000");
  }
  while (server.site.seen.made != 4) std::this_thread::sleep_for(1ms);
  Client other(server.address);
  other.get("/other");
  EXPECT_TRUE(other.receive().ends_with("\r\n\r\n/other"));
  while (server.site.seen.alive != 0) std::this_thread::sleep_for(5ms);
  while (server.server->totals().open != 1) std::this_thread::sleep_for(5ms);
}

TEST_P(StreamedResponse, ThatIsCutForASlowReaderNeverLooksWhole) {
  ReactorLimits limits;
  limits.read_pace = {.grace = 100ms, .bytes_per_second = 1 << 30, .longest_pause = 100ms};
  StreamServer server(GetParam(), limits);
  Client client(server.address);
  client.send("GET /stream/1000000000000 HTTP/1.0\r\n\r\n");
  while (server.server->totals().accepted != 1 || server.server->totals().open != 0) {
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ(client.receive_all(), std::nullopt);
}

TEST_P(StreamedResponse, IsFinishedBeforeTheServerEnds) {
  StreamServer server(GetParam());
  Client client(server.address);
  client.get("/stream/30000000");
  std::string response = client.receive_until("\r\n\r\n");
  std::thread reader([&] {
    std::this_thread::sleep_for(400ms);  // longer than an idle one would have
    response += client.receive_until(last_chunk);
  });
  EXPECT_TRUE(server.server->drain(60s));
  reader.join();
  EXPECT_EQ(unchunked(response), Digits::text(30'000'000));
  EXPECT_TRUE(client.sees_the_end());
}

TEST_P(StreamedResponse, OfManyAtOnceAreAllWhole) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  StreamServer server(GetParam());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (unsigned i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random(seed + i);
      Client client(server.address);
      for (int round = 0; round < 20; ++round) {
        const std::size_t bytes = 1 + random() % (random() % 2 == 0 ? 2'000 : 400'000);
        const bool is_crumbs = bytes < 2'000;
        client.get((is_crumbs ? "/crumbs/" : "/stream/") + std::to_string(bytes));
        if (random() % 4 == 0)
          std::this_thread::sleep_for(std::chrono::microseconds{random() % 3000});
        if (unchunked(client.receive_until(last_chunk)) != Digits::text(bytes)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(server.site.seen.alive, 0);
}

INSTANTIATE_TEST_SUITE_P(Drivers, StreamedResponse, ::testing::ValuesIn(all_drivers), name_of);

}  // namespace
}  // namespace weft::serve
