// SPDX-License-Identifier: Apache-2.0
// The server over real sockets: who answers, who waits, and how it ends.
#include "serve/server.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "serve/test_site.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

TEST(ServerTest, OneConnectionIsAnsweredByReactorAndWorkersInTurn) {
  TestServer server;
  Client client(server);
  for (int i = 0; i < 20; ++i) {
    client.get("/at-once");
    EXPECT_TRUE(is(client.receive(), "200", "at once"));
    client.get("/by-worker");
    EXPECT_TRUE(is(client.receive(), "200", "/by-worker"));
  }
  EXPECT_EQ(server.site.handled, 20);
  // They are counted when their round is over, which a worker's answer may come before.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (server.totals().at_once < 20 && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  EXPECT_EQ(server.totals().at_once, 20U);
}

TEST(ServerTest, PipelinedRequestsAreAnsweredInOrder) {
  TestServer server;
  Client client(server);
  std::string all;
  for (int i = 0; i < 50; ++i) {
    all += "GET /" + std::string(i % 3 == 0 ? "at-once" : std::to_string(i)) +
           " HTTP/1.1\r\nHost: test\r\n\r\n";
  }
  client.send(all);
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(is(client.receive(), "200", i % 3 == 0 ? "at once" : "/" + std::to_string(i)));
  }
}

TEST(ServerTest, WhoNeverPausesLeavesTurnsToOthers) {
  TestServer server;
  constexpr int requests = 20'000;
  std::thread greedy([&] {
    Client client(server);
    std::thread sender([&] {
      std::string many;
      for (int i = 0; i < 100; ++i) many += "GET /at-once HTTP/1.1\r\nHost: test\r\n\r\n";
      for (int i = 0; i < requests / 100; ++i) client.send(many);
    });
    for (int i = 0; i < requests; ++i) EXPECT_TRUE(is(client.receive(), "200", "at once"));
    sender.join();
  });
  for (int i = 0; i < 50; ++i) {
    Client client(server);
    client.get("/at-once");
    EXPECT_TRUE(is(client.receive(), "200", "at once"));
  }
  greedy.join();
}

TEST(ServerTest, ABodyThatComesInPiecesIsWhole) {
  TestServer server;
  Client client(server);
  client.send("POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel");
  std::this_thread::sleep_for(20ms);
  client.send("lo\r\n1\r\n!\r\n0\r");
  std::this_thread::sleep_for(20ms);
  client.send("\n\r\n");
  EXPECT_TRUE(is(client.receive(), "200", "hello!"));
  client.send(
      "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 100"));
  client.send("ok");
  EXPECT_TRUE(is(client.receive(), "200", "ok"));
}

TEST(ServerTest, WhatIsWrongIsRefusedAndTheConnectionEnds) {
  TestServer server;
  Client client(server);
  client.send("GET / HTTP/1.1\r\nHost: test\r\nbad name: x\r\n\r\n");
  EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 400"));
  EXPECT_TRUE(client.sees_the_end());
}

TEST(ServerTest, AHandlerThatThrowsCostsOneRequest) {
  TestServer server;
  Client client(server);
  client.get("/throw");
  EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 500"));
  client.get("/still-there");
  EXPECT_TRUE(is(client.receive(), "200", "/still-there"));
}

TEST(ServerTest, AHandlerIsToldWhenTheClientHasGone) {
  TestServer server;
  {
    Client client(server);
    client.get("/cancelled");
    while (server.site.handled != 1) std::this_thread::sleep_for(1ms);
  }
  while (server.site.reason == CancelReason::none) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(server.site.reason, CancelReason::client);
  Client client(server);
  client.get("/still-there");
  EXPECT_TRUE(is(client.receive(), "200", "/still-there"));
}

// As under overload, where most of what waits is of that kind.
TEST(ServerTest, AHandlerIsToldThatItsClientHasGoneWhileTheRequestWaited) {
  ServerOptions options;
  options.pool.policy = Policy::fixed;
  options.pool.minimum = options.pool.maximum = 1;
  TestServer server(options);
  Client first(server);
  first.get("/slow");
  while (server.site.handled != 1) std::this_thread::sleep_for(1ms);
  {
    const Client second(server);
    second.get("/cancelled");
    while (server.server().workers()->counters().queued == 0) std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(is(first.receive(), "200", "/slow"));
  while (server.site.reason == CancelReason::none) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(server.site.reason, CancelReason::client);
}

TEST(ServerTest, AHandlerIsToldWhenTheServerWaitsNoLonger) {
  TestServer server;
  Client client(server);
  client.get("/cancelled");
  while (server.site.handled != 1) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(server.server().drain(20ms));
  EXPECT_EQ(server.site.reason, CancelReason::none);
  server.end();
  EXPECT_EQ(server.site.reason, CancelReason::shutdown);
}

// A client that has sent all it has to say, and waits, is one that may have gone; what the handler
// says all the same is sent.
TEST(ServerTest, WhoIsToldThatTheClientHasGoneMayAnswer) {
  TestServer server;
  Client client(server);
  client.get("/cancelled");
  while (server.site.handled != 1) std::this_thread::sleep_for(1ms);
  client.end_output();
  EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 503"));
}

// By what it was refused, and when to come again; and what needs no worker is not asked about.
TEST(ServerTest, WhoIsNotLetInIsToldWhy) {
  AdmissionControl admission({.cpus = 1, .watches_pressure = false});
  ServerOptions options;
  options.limits.admission = &admission;
  TestServer server(options);
  Client client(server);
  client.get("/in");
  EXPECT_TRUE(is(client.receive(), "200", "/in"));
  EXPECT_EQ(admission.counters().admitted[static_cast<std::size_t>(Priority::normal)], 1U);
  admission.drain();
  client.get("/out");
  const std::string refused = client.receive();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503")) << refused;
  EXPECT_NE(refused.find("Weft-Reason: draining\r\n"), std::string::npos) << refused;
  EXPECT_NE(refused.find("Retry-After: "), std::string::npos) << refused;
  client.get("/at-once");
  EXPECT_TRUE(is(client.receive(), "200", "at once"));
  EXPECT_EQ(admission.counters().in_flight, 0U);
}

TEST(ServerTest, ALargeBodyGoesToASlowReaderWithoutAWorker) {
  ServerOptions options;
  options.pool.policy = Policy::fixed;
  options.pool.minimum = options.pool.maximum = 1;
  TestServer server(options);
  Client slow(server);
  for (int i = 0; i < 8; ++i) slow.get("/large");
  std::this_thread::sleep_for(50ms);
  Client other(server);
  other.get("/other");
  EXPECT_TRUE(is(other.receive(), "200", "/other"));
  for (int i = 0; i < 8; ++i) EXPECT_GT(slow.receive().size(), std::size_t{1} << 20);
}

TEST(ServerTest, WhatThereIsNoRoomForIsToldToComeAgain) {
  ServerOptions options;
  options.pool.policy = Policy::fixed;
  options.pool.minimum = options.pool.maximum = 1;
  options.pool.capacity = 1;
  TestServer server(options);
  std::vector<Client> clients;
  for (int i = 0; i < 12; ++i) clients.emplace_back(server);
  for (const Client& client : clients) client.get("/slow");
  int answered = 0, refused = 0;
  for (Client& client : clients) {
    const std::string response = client.receive();
    answered += response.starts_with("HTTP/1.1 200") ? 1 : 0;
    const bool is_refused = response.starts_with("HTTP/1.1 503");
    refused += is_refused ? 1 : 0;
    EXPECT_EQ(response.find("Retry-After: 1") != std::string::npos, is_refused);
  }
  EXPECT_EQ(answered + refused, 12);
  EXPECT_GE(answered, 1);
  EXPECT_GE(refused, 1);
}

// The end may come with the request, while a worker has it, or later.
TEST(ServerTest, WhoHasEndedItsOutputIsStillAnswered) {
  ServerOptions options;
  options.limits.session.idle_deadline = 1h;  // the end is to be noticed
  TestServer server(options);
  for (const char* const path : {"/slow", "/by-worker", "/at-once"}) {
    for (int round = 0; round < 30; ++round) {
      Client client(server);
      client.get(path);
      if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds{20 * round});
      client.end_output();
      EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 200"));
      EXPECT_TRUE(client.sees_the_end()) << path << ", round " << round;
    }
  }
}

TEST(ServerTest, ASilentConnectionIsClosedAndASlowHeadRefused) {
  ServerOptions options;
  options.limits.session.head_deadline = 100ms;
  options.limits.session.idle_deadline = 100ms;
  TestServer server(options);
  {
    Client silent(server), slow(server), idle(server);
    slow.send("GET / HT");
    idle.get("/at-once");
    EXPECT_TRUE(is(idle.receive(), "200", "at once"));
    EXPECT_TRUE(silent.sees_the_end());
    EXPECT_TRUE(slow.receive().starts_with("HTTP/1.1 408"));
    EXPECT_TRUE(idle.sees_the_end());
  }
  while (server.totals().open != 0) std::this_thread::sleep_for(1ms);
}

// What it sends meanwhile does not help it.
TEST(ServerTest, WhoDoesNotReadIsClosed) {
  ServerOptions options;
  options.limits.read_pace = {.grace = 100ms, .bytes_per_second = 1 << 20, .longest_pause = 100ms};
  TestServer server(options);
  Client client(server);
  for (int i = 0; i < 30; ++i) client.get("/large");
  while (server.totals().open != 0) {
    client.send_anyway("x");
    std::this_thread::sleep_for(10ms);
  }
}

TEST(ServerTest, AHandlerThatThrowsInTheReactorCostsOneRequest) {
  TestServer server;
  Client client(server);
  client.get("/throw-at-once");
  EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 500"));
  client.get("/at-once");
  EXPECT_TRUE(is(client.receive(), "200", "at once"));
}

TEST(ServerTest, WithoutDescriptorsConnectionsAreTurnedAway) {
  TestServer server;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  std::vector<Client> clients;
  clients.reserve(40);
  for (int i = 0; i < 20; ++i) clients.emplace_back(server);  // their numbers are taken before
  clients.front().get("/at-once");
  EXPECT_TRUE(is(clients.front().receive(), "200", "at once"));
  while (server.totals().accepted != 20) std::this_thread::sleep_for(1ms);
  {
    const os::Descriptor next(::dup(0));
    rlimit few = before;
    few.rlim_cur = static_cast<rlim_t>(next.get()) + 1;  // for a client, and none for the server
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  for (int i = 0; i < 5; ++i) {
    Client refused(server);
    EXPECT_TRUE(refused.sees_the_end());
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  while (server.totals().refused != 5) std::this_thread::sleep_for(1ms);
  Client again(server);
  again.get("/at-once");
  EXPECT_TRUE(is(again.receive(), "200", "at once"));
}

TEST(ServerTest, MoreConnectionsThanAllowedAreClosed) {
  ServerOptions options;
  options.limits.connections = 2;
  TestServer server(options);
  Client first(server), second(server);
  first.get("/at-once");
  second.get("/at-once");
  EXPECT_FALSE(first.receive().empty());
  EXPECT_FALSE(second.receive().empty());
  Client third(server);
  EXPECT_TRUE(third.sees_the_end());
  EXPECT_EQ(server.totals().refused, 1U);
}

// What was accepted is answered, whole, and with the word that no more will be.
TEST(ServerTest, AnEndCutsNothing) {
  TestServer server;
  std::vector<std::thread> threads;
  std::atomic<int> answered{0}, cut{0}, started{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Client client(server);
      for (bool goes_on = true; goes_on;) {
        client.get("/slow");
        started.fetch_add(1);
        const std::string response = client.receive();
        const bool is_whole = is(response, "200", "/slow");
        answered.fetch_add(is_whole ? 1 : 0);
        cut.fetch_add(is_whole ? 0 : 1);
        goes_on = is_whole && response.find("Connection: close") == std::string::npos;
      }
      EXPECT_TRUE(client.sees_the_end());
    });
  }
  while (started < 24) std::this_thread::sleep_for(1ms);
  Client idle(server);
  idle.get("/at-once");
  EXPECT_TRUE(is(idle.receive(), "200", "at once"));
  EXPECT_TRUE(server.server().drain(20s));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cut, 0);
  EXPECT_EQ(answered, started);
  EXPECT_TRUE(idle.sees_the_end());
}

// Hand-overs between reactor and workers, with everything that can come between.
TEST(ServerTest, ManyConnectionsAtOnceLoseNothing) {
  TestServer server;
  EXPECT_EQ(wrong_of_many(server.address(), 100), 0);
}

}  // namespace
}  // namespace weft::serve
