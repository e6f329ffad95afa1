// SPDX-License-Identifier: Apache-2.0
// Limits that hold for all connections together, by each driver.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "serve/body_memory.h"
#include "serve/test_streams.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

TEST(BodyMemoryTest, WhatIsNotCountedIsNotHeld) {
  BodyMemory memory(std::uint64_t{4} << 20, 1s);
  BodyBuffer buffer(&memory);
  ASSERT_TRUE(buffer.append(std::string(std::size_t{1} << 20, 'x')));
  EXPECT_GE(buffer.held_bytes(), std::size_t{1} << 20);
  buffer.clear(1024);
  EXPECT_EQ(memory.used_bytes(), 0U);
  EXPECT_LT(buffer.held_bytes(), 1024U);
}

TEST(BodyMemoryTest, WhatIsTakenIsGivenBack) {
  BodyMemory memory(1000, 1s);
  {
    BodyBuffer first(&memory), second(&memory);
    EXPECT_TRUE(first.append(std::string(400, 'a')));
    EXPECT_TRUE(second.append(std::string(500, 'b')));
    EXPECT_FALSE(first.append(std::string(200, 'a')));
    EXPECT_EQ(first.text(), std::string(400, 'a'));
    second.clear(500);  // it is kept
    EXPECT_EQ(memory.used_bytes(), 900U);
    second.clear(499);
    EXPECT_EQ(memory.used_bytes(), 400U);
    EXPECT_TRUE(first.append(std::string(600, 'a')));
    EXPECT_FALSE(second.append("b"));
  }
  EXPECT_EQ(memory.used_bytes(), 0U);
}

class Limits : public ::testing::TestWithParam<Driver> {};

std::string post(std::size_t bytes) {
  return "POST /x HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n";
}

TEST_P(Limits, AllBodiesTogetherHaveOne) {
  constexpr std::size_t bytes = 200'000;
  ReactorLimits limits;
  limits.all_bodies_bytes = 300'000;
  StreamServer server(GetParam(), limits);
  Client first(server.address);
  first.send(post(bytes) + std::string(bytes - 1, 'x'));
  while (server.server->totals().body_bytes < bytes - 1) std::this_thread::sleep_for(1ms);
  Client second(server.address);
  second.send(post(bytes) + std::string(bytes, 'x'));
  const std::string refusal = second.receive();
  EXPECT_TRUE(refusal.starts_with("HTTP/1.1 503"));
  EXPECT_NE(refusal.find("Retry-After: 1\r\n"), std::string::npos);
  EXPECT_NE(refusal.find("Connection: close\r\n"), std::string::npos);
  EXPECT_EQ(server.server->totals().overloaded, 1U);
  EXPECT_EQ(server.server->totals().responses_by_kind[5], 1U);
  first.send("x");
  EXPECT_TRUE(first.receive().starts_with("HTTP/1.1 200"));
  Client third(server.address);
  third.send(post(bytes) + std::string(bytes, 'x'));
  EXPECT_TRUE(third.receive().starts_with("HTTP/1.1 200"));
}

TEST_P(Limits, APeerHasSoManyConnections) {
  ReactorLimits limits;
  limits.connections_by_peer = 2;
  StreamServer server(GetParam(), limits);
  {
    Client first(server.address), second(server.address);
    for (Client* const client : {&first, &second}) {
      client->get("/x");
      EXPECT_TRUE(client->receive().starts_with("HTTP/1.1 200"));
    }
    Client third(server.address);
    EXPECT_TRUE(third.sees_the_end());
    EXPECT_EQ(server.server->totals().refused, 1U);
  }
  while (server.server->totals().open != 0) std::this_thread::sleep_for(1ms);
  Client again(server.address);
  again.get("/x");
  EXPECT_TRUE(again.receive().starts_with("HTTP/1.1 200"));
}

// No handler hears of them, and yet they are responses.
TEST_P(Limits, WhatIsRefusedIsCounted) {
  ReactorLimits limits;
  limits.session.head_deadline = 100ms;
  limits.session.body_bytes = 1000;
  StreamServer server(GetParam(), limits);
  const std::string get = "GET / HTTP/1.1\r\nHost: test\r\n";
  const auto expect_refusal = [&](const std::string& status, const std::string& request) {
    Client client(server.address);
    client.send(request);
    EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 " + status)) << status;
  };
  expect_refusal("400", "nonsense\r\n\r\n");
  expect_refusal("408", "GET / HT");
  expect_refusal("413", post(1001));
  expect_refusal("414", "GET /" + std::string(10'000, 'x'));
  expect_refusal("417", get + "Expect: wonders\r\n\r\n");
  expect_refusal("431", get + "Field: " + std::string(20'000, 'x'));
  expect_refusal("501", get + "Transfer-Encoding: gzip, chunked\r\n\r\n");
  expect_refusal("505", "GET / HTTP/2.0\r\n\r\n");
  const Totals totals = server.server->totals();
  EXPECT_EQ(totals.responses_by_kind[4], 6U);
  EXPECT_EQ(totals.responses_by_kind[5], 2U);
  EXPECT_EQ(totals.overloaded, 0U);
}

INSTANTIATE_TEST_SUITE_P(Drivers, Limits, ::testing::ValuesIn(all_drivers), name_of);

}  // namespace
}  // namespace weft::serve
