// SPDX-License-Identifier: Apache-2.0
// A thread, a fiber or a coroutine for each connection: the same answers, and an end that cuts
// nothing.
#include "serve/conversations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "serve/coroutines.h"
#include "serve/test_site.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

using Listeners = std::vector<os::Descriptor>;
using Make = std::unique_ptr<RunningServer> (*)(Site& site, Listeners listeners);

std::unique_ptr<RunningServer> on_threads(Site& site, Listeners listeners) {
  return std::make_unique<Conversations>(ReactorLimits{}, site, std::move(listeners),
                                         make_threads());
}

std::unique_ptr<RunningServer> on_fibers(Site& site, Listeners listeners) {
  return std::make_unique<Conversations>(ReactorLimits{}, site, std::move(listeners),
                                         make_fibers(2));
}

std::unique_ptr<RunningServer> on_coroutines(Site& site, Listeners listeners) {
  CoroutineOptions options;
  options.threads = 2;
  return make_coroutines(std::move(options), site, std::move(listeners));
}

struct Model {
  const char* name;
  Make make;
};

class ConversationsTest : public ::testing::TestWithParam<Model> {
 protected:
  void SetUp() override {
    auto listener = net::listen_on(*net::Address::parse("127.0.0.1:0"));
    ASSERT_TRUE(listener);
    address_ = *net::address_of(*listener);
    Listeners listeners;
    listeners.push_back(std::move(*listener));
    server_ = GetParam().make(site_, std::move(listeners));
    server_->start();
  }

  TestSite site_;
  net::Address address_ = *net::Address::parse("127.0.0.1:0");
  std::unique_ptr<RunningServer> server_;
};

TEST_P(ConversationsTest, RequestsAreAnsweredInOrder) {
  Client client(address_);
  for (int i = 0; i < 20; ++i) client.get("/" + std::to_string(i));
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(client.receive().ends_with("\r\n\r\n/" + std::to_string(i)));
  }
  client.get("/throw");
  EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 500"));
  client.get("/large");
  EXPECT_GT(client.receive().size(), std::size_t{1} << 20);
  client.send("nonsense\r\n\r\n");
  EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 400"));
  EXPECT_TRUE(client.sees_the_end());
}

TEST_P(ConversationsTest, AnEndCutsNothing) {
  std::vector<std::thread> threads;
  std::atomic<int> answered{0}, started{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Client client(address_);
      for (bool goes_on = true; goes_on;) {
        client.get("/slow");
        started.fetch_add(1);
        const std::string response = client.receive();
        answered.fetch_add(response.ends_with("\r\n\r\n/slow") ? 1 : 0);
        goes_on = !response.empty() && response.find("Connection: close") == std::string::npos;
      }
    });
  }
  Client idle(address_);
  idle.get("/x");
  EXPECT_FALSE(idle.receive().empty());
  while (started < 16) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(server_->drain(20s));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, started);
  EXPECT_TRUE(idle.sees_the_end());
}

TEST_P(ConversationsTest, AHandlerIsToldWhenTheClientHasGone) {
  {
    const Client client(address_);
    client.get("/cancelled");
    while (site_.handled != 1) std::this_thread::sleep_for(1ms);
  }
  while (site_.reason == CancelReason::none) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(site_.reason, CancelReason::client);
  Client other(address_);
  other.get("/still-there");
  EXPECT_TRUE(is(other.receive(), "200", "/still-there"));
}

// What it has sent before does not hide that it has gone.
TEST_P(ConversationsTest, AHandlerIsToldOfTheEndBehindWhatIsUnread) {
  {
    const Client client(address_);
    client.get("/cancelled");
    while (site_.handled != 1) std::this_thread::sleep_for(1ms);
    for (int i = 0; i < 100; ++i) client.get("/pipelined");
  }
  while (site_.reason == CancelReason::none) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(site_.reason, CancelReason::client);
}

TEST_P(ConversationsTest, AHandlerIsToldOfItsOwnClientOnly) {
  std::vector<Client> stay;
  for (int i = 0; i < 3; ++i) {
    stay.emplace_back(address_);
    stay.back().get("/slow");
  }
  {
    const Client goes(address_);
    goes.get("/cancelled");
    while (site_.handled != 4) std::this_thread::sleep_for(1ms);
  }
  while (site_.reason == CancelReason::none) std::this_thread::sleep_for(1ms);
  for (Client& client : stay) EXPECT_TRUE(is(client.receive(), "200", "/slow"));
}

TEST_P(ConversationsTest, WhoIsToldThatTheClientHasGoneMayAnswer) {
  Client client(address_);
  client.get("/cancelled");
  while (site_.handled != 1) std::this_thread::sleep_for(1ms);
  client.end_output();
  EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 503"));
}

TEST_P(ConversationsTest, AHandlerIsToldWhenTheServerWaitsNoLonger) {
  const Client client(address_);
  client.get("/cancelled");
  while (site_.handled != 1) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(server_->drain(20ms));
  EXPECT_EQ(site_.reason, CancelReason::none);
  server_.reset();
  EXPECT_EQ(site_.reason, CancelReason::shutdown);
}

INSTANTIATE_TEST_SUITE_P(Models, ConversationsTest,
                         ::testing::Values(Model{"Threads", on_threads}, Model{"Fibers", on_fibers},
                                           Model{"Coroutines", on_coroutines}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace weft::serve
