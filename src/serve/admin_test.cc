// SPDX-License-Identifier: Apache-2.0
// Who looks after a server, while it serves: nobody is in another's way, and names are looked at.
#include "serve/admin.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "serve/conversations.h"
#include "serve/history_json.h"
#include "serve/test_site.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

// Clients that ask as long as they live.
class Load {
 public:
  explicit Load(const TestServer& server) {
    for (int i = 0; i < 3; ++i) {
      threads_.emplace_back([this, &server, i] {
        Client client(server);
        while (!ends_.load()) {
          client.get(i == 0 ? "/at-once" : "/by-worker");
          EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 200"));
          asked_.fetch_add(1);
        }
      });
    }
  }
  ~Load() { end(); }
  std::uint64_t end() {
    ends_.store(true);
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    return asked_.load();
  }

 private:
  std::atomic<bool> ends_{false};
  std::atomic<std::uint64_t> asked_{0};
  std::vector<std::thread> threads_;
};

TEST(SamplerTest, LooksWhileRequestsAreServedAndOthersRead) {
  TestServer server;
  Machine machine;
  const About about{.version = "1", .policy = "adaptive", .listens = {}};
  Load load(server);
  {
    Sampler sampler(server.server(), machine, 2ms);
    const auto read_until = [&](std::uint64_t rows) {
      std::uint64_t newest = 0;
      while (newest < rows) {
        sampler.read([&](const History& history) {
          newest = history.newest();
          EXPECT_FALSE(history_json(about, {}, history, 0).empty());
        });
        look_at(server.server(), machine);
      }
    };
    std::thread other([&] { read_until(20); });
    read_until(30);
    other.join();
    double answered = 0;
    sampler.read([&](const History& history) {
      history.for_each_after(0, [&](const Row& row) { answered += row[Series::answered_2xx]; });
    });
    EXPECT_GT(answered, 0);
  }
  const std::uint64_t asked = load.end();
  // A reactor counts times at the end of its round, when the client has its answer.
  const auto end_of_patience = std::chrono::steady_clock::now() + 20s;
  while (server.totals().took.count() < asked &&
         std::chrono::steady_clock::now() < end_of_patience) {
    std::this_thread::sleep_for(1ms);
  }
  const Totals totals = server.totals();
  EXPECT_EQ(totals.took.count(), asked);
  EXPECT_GT(totals.took.quantile(0.5), 0ns);
}

TEST(SamplerTest, EndsAtOnce) {
  TestServer server;
  Machine machine;
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) Sampler(server.server(), machine, 1h);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 60s);
}

TEST(AdminTest, AnswersOverSocketsUntilItGoes) {
  TestServer server;
  Load load(server);
  AdminSite site({.version = "1", .policy = "adaptive", .listens = {}}, server.server(),
                 AskedBy::address);
  auto listener = net::listen_on(*net::Address::parse("127.0.0.1:0"));
  ASSERT_TRUE(listener);
  const net::Address address = *net::address_of(*listener);
  std::vector<os::Descriptor> listeners;
  listeners.push_back(std::move(*listener));
  Conversations admin(ReactorLimits{}, site, std::move(listeners), make_threads());
  admin.start();
  Client client(address);
  const auto get = [&](const std::string& path, const std::string& host) {
    client.send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return client.receive();
  };
  for (const char* const path : {"/", "/script.js", "/metrics", "/history.json", "/readyz"}) {
    EXPECT_TRUE(get(path, "localhost").starts_with("HTTP/1.1 200")) << path;
    EXPECT_TRUE(get(path, "name.example").starts_with("HTTP/1.1 421")) << path;
  }
  site.say_draining();
  EXPECT_TRUE(get("/readyz", "127.0.0.1").starts_with("HTTP/1.1 503"));
  EXPECT_NE(get("/history.json", "[::1]:80").find("draining"), std::string::npos);
}

TEST(AdminTest, AddressesAreToldFromNames) {
  for (const char* const good :
       {"127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:80", "localhost", "LocalHost:80"}) {
    EXPECT_TRUE(is_address_or_localhost(good)) << good;
  }
  for (const char* const bad : {"", ":80", "localhost.example", "127.0.0.1.example", "a",
                                "example.com:80", "127.0.0.1x", "0x7f000001"}) {
    EXPECT_FALSE(is_address_or_localhost(bad)) << bad;
  }
}

}  // namespace
}  // namespace weft::serve
