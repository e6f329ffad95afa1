// SPDX-License-Identifier: Apache-2.0
// Coroutines over real sockets: who waits without a thread, what is handed over, and how it ends.
#include "serve/coroutines.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "serve/test_site.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

class WaitingSite final : public TestSite {
 public:
  std::optional<std::chrono::nanoseconds> answer_after_wait(const Request& request,
                                                            Response& response) override {
    const std::string_view path = request.head.path_and_query();
    if (path == "/throw-later") throw std::runtime_error("on purpose");
    if (path != "/wait" && path != "/for-ever") return std::nullopt;
    waits.fetch_add(1);
    response.set_constant_body("waited");
    return path == "/wait" ? std::chrono::nanoseconds{200ms} : 100h;
  }
  std::atomic<int> waits{0};
};

class CoroutinesTest : public ::testing::Test {
 protected:
  void start(CoroutineOptions options, unsigned threads = 2) {
    auto listener = net::listen_on(*net::Address::parse("127.0.0.1:0"));
    ASSERT_TRUE(listener);
    address_ = *net::address_of(*listener);
    std::vector<os::Descriptor> listeners;
    listeners.push_back(std::move(*listener));
    options.threads = threads;
    server_ = make_coroutines(std::move(options), site_, std::move(listeners));
    server_->start();
  }
  Client client() const { return Client(address_); }

  WaitingSite site_;
  net::Address address_ = *net::Address::parse("127.0.0.1:0");
  std::unique_ptr<RunningServer> server_;
};

TEST_F(CoroutinesTest, EachWayToAnswerIsTaken) {
  start({});
  Client client = this->client();
  for (int i = 0; i < 3; ++i) {
    client.get("/at-once");
    EXPECT_TRUE(is(client.receive(), "200", "at once"));
    client.get("/wait");
    EXPECT_TRUE(is(client.receive(), "200", "waited"));
    client.get("/elsewhere");
    EXPECT_TRUE(is(client.receive(), "200", "/elsewhere"));
    for (const char* const path : {"/throw", "/throw-at-once", "/throw-later"}) {
      client.get(path);
      EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 500"));
    }
  }
  EXPECT_EQ(site_.waits, 3);
  EXPECT_EQ(site_.handled, 6);
  const Totals totals = server_->totals();
  EXPECT_EQ(totals.at_once, 3U);
  EXPECT_EQ(totals.failed, 9U);
  EXPECT_EQ(totals.responses_by_kind[2], 9U);
  EXPECT_EQ(totals.responses_by_kind[5], 9U);
}

// One loop, and nothing for the pool: all wait at the same time, or it would take twenty seconds.
TEST_F(CoroutinesTest, AWaitHoldsNoThread) {
  start({}, 1);
  std::vector<Client> clients;
  for (int i = 0; i < 100; ++i) clients.push_back(client());
  const auto begun = std::chrono::steady_clock::now();
  for (const Client& client : clients) client.get("/wait");
  for (Client& client : clients) EXPECT_TRUE(is(client.receive(), "200", "waited"));
  const auto took = std::chrono::steady_clock::now() - begun;
  EXPECT_GE(took, 200ms);
  EXPECT_LT(took, 10s);
  EXPECT_EQ(server_->workers()->counters().accepted, 0U);
}

TEST_F(CoroutinesTest, WhoNeverPausesLeavesTurnsToOthers) {
  start({}, 1);
  constexpr int requests = 20'000;
  std::thread greedy([&] {
    Client client = this->client();
    std::thread sender([&] {
      std::string many;
      for (int i = 0; i < 100; ++i) many += "GET /at-once HTTP/1.1\r\nHost: test\r\n\r\n";
      for (int i = 0; i < requests / 100; ++i) client.send(many);
    });
    for (int i = 0; i < requests; ++i) EXPECT_TRUE(is(client.receive(), "200", "at once"));
    sender.join();
  });
  for (int i = 0; i < 50; ++i) {
    Client client = this->client();
    client.get("/at-once");
    EXPECT_TRUE(is(client.receive(), "200", "at once"));
  }
  greedy.join();
}

TEST_F(CoroutinesTest, ABodyThatComesInPiecesIsWhole) {
  start({});
  Client client = this->client();
  client.send("POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel");
  std::this_thread::sleep_for(20ms);
  client.send("lo\r\n0\r\n\r\n");
  EXPECT_TRUE(is(client.receive(), "200", "hello"));
  client.send(
      "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 100"));
  client.send("ok");
  EXPECT_TRUE(is(client.receive(), "200", "ok"));
}

TEST_F(CoroutinesTest, WhatThePoolHasNoRoomForIsToldToComeAgain) {
  CoroutineOptions options;
  options.pool.policy = Policy::fixed;
  options.pool.minimum = options.pool.maximum = 1;
  options.pool.capacity = 1;
  start(std::move(options));
  std::vector<Client> clients;
  for (int i = 0; i < 12; ++i) clients.push_back(client());
  for (const Client& client : clients) client.get("/slow");
  unsigned answered = 0, refused = 0;
  for (Client& client : clients) {
    const std::string response = client.receive();
    answered += response.starts_with("HTTP/1.1 200") ? 1 : 0;
    refused += response.starts_with("HTTP/1.1 503") ? 1 : 0;
  }
  EXPECT_EQ(answered + refused, 12U);
  EXPECT_GE(answered, 1U);
  EXPECT_GE(refused, 1U);
  EXPECT_EQ(server_->totals().overloaded, refused);
}

TEST_F(CoroutinesTest, WhoHasEndedItsOutputIsStillAnswered) {
  CoroutineOptions options;
  options.limits.session.idle_deadline = 1h;  // the end is to be noticed
  start(std::move(options));
  for (const char* const path : {"/wait", "/slow", "/elsewhere", "/at-once"}) {
    for (int round = 0; round < 8; ++round) {
      Client client = this->client();
      client.get(path);
      if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds{80 * round});
      client.end_output();
      EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 200"));
      EXPECT_TRUE(client.sees_the_end()) << path << ", round " << round;
    }
  }
}

TEST_F(CoroutinesTest, ASilentConnectionIsClosedAndASlowHeadRefused) {
  CoroutineOptions options;
  options.limits.session.head_deadline = 100ms;
  options.limits.session.idle_deadline = 100ms;
  start(std::move(options));
  {
    Client silent = client(), slow = client(), idle = client();
    slow.send("GET / HT");
    idle.get("/at-once");
    EXPECT_TRUE(is(idle.receive(), "200", "at once"));
    EXPECT_TRUE(silent.sees_the_end());
    EXPECT_TRUE(slow.receive().starts_with("HTTP/1.1 408"));
    EXPECT_TRUE(idle.sees_the_end());
  }
  while (server_->totals().open != 0) std::this_thread::sleep_for(1ms);
}

// The alarm is set for the earlier deadline although a later one was set before.
TEST_F(CoroutinesTest, ADeadlineThatMovesNearerIsKept) {
  CoroutineOptions options;
  options.limits.session.head_deadline = 100ms;
  start(std::move(options));
  Client slow = client();
  slow.get("/at-once");
  EXPECT_TRUE(is(slow.receive(), "200", "at once"));
  std::this_thread::sleep_for(20ms);  // it waits for the next one, for a minute
  slow.send("GET / HT");
  EXPECT_TRUE(slow.receive().starts_with("HTTP/1.1 408"));
}

TEST_F(CoroutinesTest, WhoDoesNotReadIsClosed) {
  CoroutineOptions options;
  options.limits.read_pace = {.grace = 100ms, .bytes_per_second = 1 << 20, .longest_pause = 100ms};
  start(std::move(options));
  Client client = this->client();
  for (int i = 0; i < 30; ++i) client.get("/large");
  while (server_->totals().accepted == 0 || server_->totals().open != 0) {
    client.send_anyway("x");
    std::this_thread::sleep_for(10ms);
  }
}

TEST_F(CoroutinesTest, MoreConnectionsThanAllowedAreClosed) {
  for (const bool by_peer : {false, true}) {
    CoroutineOptions options;
    (by_peer ? options.limits.connections_by_peer : options.limits.connections) = 2;
    start(std::move(options));
    Client first = client(), second = client();
    first.get("/at-once");
    second.get("/at-once");
    EXPECT_FALSE(first.receive().empty());
    EXPECT_FALSE(second.receive().empty());
    Client third = client();
    EXPECT_TRUE(third.sees_the_end());
    EXPECT_EQ(server_->totals().refused, 1U);
  }
}

TEST_F(CoroutinesTest, WhatWaitsIsAnsweredAtTheEnd) {
  start({});
  std::vector<Client> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(client());
  for (const Client& client : clients) client.get("/wait");
  while (site_.waits != 20) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(server_->drain(20s));
  for (Client& client : clients) {
    const std::string response = client.receive();
    EXPECT_TRUE(is(response, "200", "waited"));
    EXPECT_NE(response.find("Connection: close"), std::string::npos);
    EXPECT_TRUE(client.sees_the_end());
  }
}

// Who asks for it at the end is told that not all was answered, and who destroys it need not wait.
TEST_F(CoroutinesTest, WhatWaitsForEverIsGivenUp) {
  start({});
  Client waiting = client(), half = client(), handled = client();
  waiting.get("/for-ever");
  half.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\nhalf");
  handled.get("/slow");
  while (site_.waits != 1 || site_.handled != 1) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(server_->drain(10ms));
  server_.reset();
  EXPECT_TRUE(waiting.sees_the_end() || errno == ECONNRESET);
}

// Hand-overs between loops and workers, with everything that can come between.
TEST_F(CoroutinesTest, ManyConnectionsAtOnceLoseNothing) {
  start({});
  EXPECT_EQ(wrong_of_many(address_, 60), 0);
}

}  // namespace
}  // namespace weft::serve
