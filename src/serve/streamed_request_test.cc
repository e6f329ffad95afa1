// SPDX-License-Identifier: Apache-2.0
// Bodies of requests that are streamed to their handlers, over real sockets, by each driver.
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

std::string post(std::string_view path, std::string_view fields) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(fields) +
         "\r\n\r\n";
}
std::string length(std::size_t bytes) {
  return "Content-Length: " + std::to_string(bytes);
}
constexpr std::string_view chunked = "Transfer-Encoding: chunked";

bool says_close(const std::string& response) {
  return response.find("Connection: close") != std::string::npos;
}
bool goes_on(Client& client) {
  client.get("/after");
  return is(client.receive(), "200", "/after");
}

class StreamedRequest : public ::testing::TestWithParam<Driver> {};

TEST_P(StreamedRequest, ComesPieceByPieceAndTheConnectionGoesOn) {
  StreamServer server(GetParam());
  Client client(server.address);
  for (const std::size_t bytes : {0, 1, 10, 5000, 3'000'000}) {
    client.send(post("/count", length(bytes)) + Digits::text(bytes));
    EXPECT_TRUE(is(client.receive(), "200", std::to_string(bytes)));
    EXPECT_TRUE(goes_on(client));
  }
  client.send(post("/count", chunked) + "5\r\n01234\r\n");
  std::this_thread::sleep_for(20ms);
  client.send("7\r\n567");
  std::this_thread::sleep_for(20ms);
  client.send("8901\r\n0\r\n\r\n");
  EXPECT_TRUE(is(client.receive(), "200", "12"));
  client.get("/count");
  EXPECT_TRUE(is(client.receive(), "200", "0"));
  client.send(post("/whole-count", length(100)) + Digits::text(100));
  EXPECT_TRUE(is(client.receive(), "200", "100"));
  client.send(post("/count-and-stream", length(70'000)) + Digits::text(70'000));
  EXPECT_EQ(unchunked(client.receive_until("\r\n0\r\n\r\n")), Digits::text(70'000));
  EXPECT_TRUE(goes_on(client));
}

TEST_P(StreamedRequest, HasALimitOfItsOwn) {
  ReactorLimits limits;
  limits.session.body_bytes = 100;
  limits.session.streamed_body_bytes = 1000;
  StreamServer server(GetParam(), limits);
  Client fits(server.address);
  fits.send(post("/count", length(1000)) + Digits::text(1000));
  EXPECT_TRUE(is(fits.receive(), "200", "1000"));
  fits.send(post("/whole-count", length(101)));
  EXPECT_TRUE(fits.receive().starts_with("HTTP/1.1 413"));
  Client too_long(server.address);
  too_long.send(post("/count", length(1001)));
  EXPECT_TRUE(too_long.receive().starts_with("HTTP/1.1 413"));
  Client too_long_later(server.address);
  too_long_later.send(post("/count", chunked) + "3e8\r\n" + Digits::text(1000) + "\r\n1\r\n");
  EXPECT_TRUE(too_long_later.receive().starts_with("HTTP/1.1 413"));
  EXPECT_TRUE(too_long_later.sees_the_end());
  while (server.site.seen.alive != 0) std::this_thread::sleep_for(1ms);
}

TEST_P(StreamedRequest, IsGivenLeaveOnlyWhenItIsRead) {
  StreamServer server(GetParam());
  const std::string fields = length(5) + "\r\nExpect: 100-continue";
  Client client(server.address);
  client.send(post("/count", fields));
  EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 100"));
  client.send("01234");
  EXPECT_TRUE(is(client.receive(), "200", "5"));
  client.send(post("/early", fields));
  const std::string early = client.receive();
  EXPECT_TRUE(is(early, "200", "/early"));
  EXPECT_TRUE(says_close(early));
  EXPECT_TRUE(client.sees_the_end());
}

TEST_P(StreamedRequest, MayBeAnsweredBeforeItIsRead) {
  ReactorLimits limits;
  limits.session.drain_bytes = 1000;
  StreamServer server(GetParam(), limits);
  Client client(server.address);
  for (const std::string_view path : {"/early", "/count-ten"}) {
    client.send(post(path, length(500)) + Digits::text(100));
    EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 200"));
    client.send(Digits::text(400));  // nobody wants it
    EXPECT_TRUE(goes_on(client));
  }
  client.send(post("/early", length(5000)) + Digits::text(100));
  const std::string last = client.receive();
  EXPECT_TRUE(is(last, "200", "/early"));
  EXPECT_TRUE(says_close(last));
  EXPECT_TRUE(client.sees_the_end());

  Client endless(server.address);
  endless.send(post("/early", chunked));
  EXPECT_TRUE(is(endless.receive(), "200", "/early"));
  endless.send("1000\r\n" + Digits::text(4096));
  EXPECT_TRUE(endless.sees_the_end());
}

TEST_P(StreamedRequest, WhoseHandlerFailsIsA500) {
  StreamServer server(GetParam());
  Client client(server.address);
  client.send(post("/count-and-throw", length(20)) + Digits::text(10));
  EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 500"));
  client.send(Digits::text(10));
  EXPECT_TRUE(goes_on(client));
  EXPECT_EQ(server.site.seen.alive, 0);
  EXPECT_EQ(server.server->totals().failed, 1U);
}

// The only worker is free for others meanwhile.
TEST_P(StreamedRequest, ThatIsSlowHoldsNoWorkerAndIsRefused) {
  ReactorLimits limits;
  limits.session.body_pace = {.grace = 500ms, .bytes_per_second = 1 << 20, .longest_pause = 500ms};
  StreamServer server(GetParam(), limits);
  std::vector<Client> slow;
  for (int i = 0; i < 4; ++i) {
    slow.emplace_back(server.address);
    slow.back().send(post("/count", length(100)) + "0123");
  }
  while (server.site.seen.made != 4) std::this_thread::sleep_for(1ms);
  Client other(server.address);
  EXPECT_TRUE(goes_on(other));
  for (Client& client : slow) EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 408"));
  while (server.site.seen.alive != 0) std::this_thread::sleep_for(1ms);
}

// The handler takes longer than the peer would have; the peer sends when it is asked.
TEST_P(StreamedRequest, IsNotBlamedForASlowHandler) {
  constexpr int pieces = 6;
  ReactorLimits limits;
  limits.session.body_pace = {.grace = 2s, .bytes_per_second = 1 << 20, .longest_pause = 20s};
  StreamServer server(GetParam(), limits);
  Client client(server.address);
  client.send(post("/count-slowly", length(std::size_t{10} * pieces)));
  for (int i = 0; i < pieces; ++i) {
    while (server.site.seen.taken != i) std::this_thread::sleep_for(1ms);
    client.send(Digits::text(10));
  }
  EXPECT_TRUE(is(client.receive(), "200", std::to_string(10 * pieces)));
}

TEST_P(StreamedRequest, ThatDoesNotEndIsNotAnswered) {
  StreamServer server(GetParam());
  {
    Client client(server.address);
    client.send(post("/count", length(20)) + Digits::text(10));
    while (server.site.seen.alive != 1) std::this_thread::sleep_for(1ms);
    client.end_output();
    EXPECT_TRUE(client.sees_the_end());
  }
  while (server.site.seen.alive != 0) std::this_thread::sleep_for(1ms);
}

// Who does not take it holds the sender up, and not the memory.
TEST_P(StreamedRequest, IsHeldUpByItsHandler) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  // Made before there is a connection: who then takes long is refused.
  const std::string body = Digits::text(bytes);
  StreamServer server(GetParam());
  server.site.seen.holds = true;
  Client client(server.address);
  client.send(post("/count-held", length(bytes)));
  std::size_t sent = 0;
  for (int idle_looks = 0; idle_looks < 100;) {
    const std::size_t taken = client.send_some(std::string_view(body).substr(sent, 1 << 20));
    sent += taken;
    ++idle_looks;
    if (taken != 0) idle_looks = 0;
    std::this_thread::sleep_for(1ms);
    ASSERT_LT(sent, bytes);
  }
  server.site.seen.holds = false;
  client.send(std::string_view(body).substr(sent));
  EXPECT_TRUE(is(client.receive(), "200", std::to_string(bytes)));
}

TEST_P(StreamedRequest, OfManyAtOnceAreAllWhole) {
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
        const std::size_t bytes = random() % (random() % 2 == 0 ? 200 : 200'000);
        const std::string body = Digits::text(bytes);
        client.send(post("/count", length(bytes)));
        for (std::size_t sent = 0; sent < bytes;) {
          const std::size_t piece = std::min<std::size_t>(1 + random() % 30'000, bytes - sent);
          client.send(std::string_view(body).substr(sent, piece));
          sent += piece;
          if (random() % 4 == 0) std::this_thread::yield();
        }
        if (!is(client.receive(), "200", std::to_string(bytes))) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(server.site.seen.alive, 0);
}

INSTANTIATE_TEST_SUITE_P(Drivers, StreamedRequest, ::testing::ValuesIn(all_drivers), name_of);

}  // namespace
}  // namespace weft::serve
