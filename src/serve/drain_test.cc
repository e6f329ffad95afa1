// SPDX-License-Identifier: Apache-2.0
// What the end of a server does to connections that it does not wait for, by each driver.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "serve/test_streams.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

class Drain : public ::testing::TestWithParam<Driver> {};

// However long its rest takes; idle connections end meanwhile.
TEST_P(Drain, ARequestThatHasBegunIsAnswered) {
  ReactorLimits limits;
  limits.drain_idle = 60ms;
  limits.linger = 60ms;
  StreamServer server(GetParam(), limits);
  std::vector<Client> clients;
  for (int i = 0; i < 24; ++i) {
    clients.emplace_back(server.address);
    clients.back().get("/x");
    EXPECT_TRUE(is(clients.back().receive(), "200", "/x"));
  }
  for (std::size_t i = 0; i < clients.size(); i += 2) clients[i].send("GET /begun HT");
  bool is_done = false;
  std::thread ending([&] { is_done = server.server->drain(20s); });
  std::this_thread::sleep_for(4 * limits.drain_idle);
  for (std::size_t i = 0; i < clients.size(); i += 2) {
    clients[i].send("TP/1.1\r\nHost: test\r\n\r\n");
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const bool has_begun = i % 2 == 0;
    EXPECT_EQ(is(clients[i].receive(), "200", "/begun"), has_begun) << i;
    EXPECT_TRUE(clients[i].sees_the_end()) << i;
  }
  ending.join();
  EXPECT_TRUE(is_done);
}

INSTANTIATE_TEST_SUITE_P(Drivers, Drain, ::testing::ValuesIn(all_drivers), name_of);

}  // namespace
}  // namespace weft::serve
