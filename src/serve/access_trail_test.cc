// SPDX-License-Identifier: Apache-2.0
// What an exchange tells the access log: each response once, when it is out or cut.
#include "serve/access_trail.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "serve/clock.h"
#include "serve/exchange.h"
#include "serve/test_site.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

class AccessTrailTest : public ::testing::Test {
 protected:
  AccessTrailTest() {
    char name[] = "/tmp/weft-access-trail-XXXXXX";
    folder_ = ::mkdtemp(name);
    auto log = AccessLog::open({.path = folder_ / "log", .format = AccessFormat::json});
    EXPECT_TRUE(log);
    log_ = std::move(*log);
    restart();
  }
  ~AccessTrailTest() override { std::filesystem::remove_all(folder_); }

  void restart() {
    exchange_ = std::make_unique<Exchange>(limits_, std::chrono::steady_clock::now());
    exchange_->log_to(log_.get(), "peer", true);
  }
  Step read(std::string_view bytes) {
    const auto room = exchange_->room();
    bytes.copy(room.data(), room.size());
    exchange_->commit(bytes.size());
    return exchange_->advance(thread_moment());
  }
  void respond(unsigned status, std::string body) {
    Response response;
    response.set_status(status);
    response.set_body(std::move(body));
    exchange_->respond(response, thread_moment());
  }
  void send_all() { exchange_->text_sent(exchange_->text().size()); }
  // Ends the log, too.
  std::vector<std::string> lines() {
    EXPECT_TRUE(log_->finish(20s));
    std::ifstream file(folder_ / "log");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  static bool has(const std::string& line, std::string_view what) {
    return line.find(what) != std::string::npos;
  }

  http::SessionLimits limits_;
  std::filesystem::path folder_;
  std::unique_ptr<AccessLog> log_;
  std::unique_ptr<Exchange> exchange_;
};

TEST_F(AccessTrailTest, AResponseIsToldWhenItsLastByteIsOut) {
  ASSERT_EQ(read("GET /a HTTP/1.1\r\nHost: x\r\nreferer: r\r\nUser-Agent: u\r\n\r\n"),
            Step::request);
  respond(200, "12345");
  exchange_->text_sent(exchange_->text().size() - 1);
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(log_->written(), 0U);
  send_all();
  const auto lines = this->lines();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(has(lines[0],
                  "\"peer\":\"peer\",\"request\":\"GET /a HTTP/1.1\",\"status\":200,"
                  "\"body_bytes\":5,\"referer\":\"r\",\"user_agent\":\"u\","))
      << lines[0];
  EXPECT_TRUE(has(lines[0], "\"tls\":true,\"at_once\":true,\"cut\":false}")) << lines[0];
  EXPECT_FALSE(has(lines[0], "\"duration_seconds\":0.0000")) << lines[0];
}

TEST_F(AccessTrailTest, WhatIsPipelinedIsToldApart) {
  ASSERT_EQ(read("GET /a HTTP/1.1\r\nHost: x\r\n\r\nHEAD /b HTTP/1.1\r\nHost: x\r\n\r\n"
                 "GET /c HTTP/1.0\r\n\r\n"),
            Step::request);
  respond(200, "1");
  ASSERT_EQ(exchange_->advance(thread_moment()), Step::request);
  exchange_->handler_starts();
  std::this_thread::sleep_for(20ms);
  respond(200, "22");
  ASSERT_EQ(exchange_->advance(thread_moment()), Step::request);
  respond(404, "333");
  send_all();
  const auto lines = this->lines();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(has(lines[0], "\"GET /a HTTP/1.1\",\"status\":200,\"body_bytes\":1,")) << lines[0];
  EXPECT_TRUE(has(lines[1], "\"HEAD /b HTTP/1.1\",\"status\":200,\"body_bytes\":0,")) << lines[1];
  EXPECT_TRUE(has(lines[1], "\"at_once\":false")) << lines[1];
  EXPECT_FALSE(has(lines[1], "\"handle_seconds\":0.00")) << lines[1];
  EXPECT_TRUE(has(lines[2], "\"GET /c HTTP/1.0\",\"status\":404,\"body_bytes\":3,")) << lines[2];
  EXPECT_TRUE(has(lines[2], "\"at_once\":true")) << lines[2];
}

TEST_F(AccessTrailTest, WhatDoesNotGoOutIsCut) {
  ASSERT_EQ(read("GET /half HTTP/1.1\r\nHost: x\r\n\r\n"), Step::request);
  respond(200, "12345");
  exchange_->text_sent(exchange_->text().size() - 3);
  restart();
  ASSERT_EQ(read("GET /none HTTP/1.1\r\nHost: x\r\n\r\n"), Step::request);
  respond(200, "12345");
  exchange_->give_up();
  restart();
  const auto lines = this->lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(has(lines[0], "/half HTTP/1.1\",\"status\":200,\"body_bytes\":2,")) << lines[0];
  EXPECT_TRUE(has(lines[1], "/none HTTP/1.1\",\"status\":200,\"body_bytes\":0,")) << lines[1];
  for (const std::string& line : lines) EXPECT_TRUE(has(line, "\"cut\":true")) << line;
}

TEST_F(AccessTrailTest, WhatIsRefusedIsToldWithWhatIsKnown) {
  EXPECT_EQ(read("nonsense \"\xff\n\r\nmore"), Step::close);
  send_all();
  restart();
  EXPECT_EQ(read("GET /slow HT"), Step::read);
  exchange_->expire({std::chrono::steady_clock::now() + 1h, ""});
  send_all();
  restart();
  EXPECT_EQ(read("POST /large HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n"),
            Step::close);
  send_all();
  restart();
  EXPECT_EQ(read("POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n"),
            Step::close);
  send_all();
  const auto lines = this->lines();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(has(lines[0], "\"request\":\"nonsense \\\"\\ufffd\",\"status\":400,")) << lines[0];
  EXPECT_TRUE(has(lines[1], "\"request\":\"GET /slow HT\",\"status\":408,")) << lines[1];
  EXPECT_TRUE(has(lines[2], "\"request\":\"POST /large HTTP/1.1\",\"status\":413,")) << lines[2];
  EXPECT_TRUE(has(lines[3], "\"request\":\"POST /body HTTP/1.1\",\"status\":400,")) << lines[3];
  for (const std::string& line : lines) {
    EXPECT_FALSE(has(line, "\"body_bytes\":0,")) << line;
    EXPECT_TRUE(has(line, "\"cut\":false")) << line;
  }
}

// Lines come from reactors and from workers, for a connection now from one and now from the other.
TEST_F(AccessTrailTest, EachResponseOfAServerIsALine) {
  constexpr int rounds = 50, connections = 8;
  TestSite site;
  auto listener = net::listen_on(*net::Address::parse("127.0.0.1:0"));
  ASSERT_TRUE(listener);
  const net::Address address = *net::address_of(*listener);
  std::vector<os::Descriptor> listeners;
  listeners.push_back(std::move(*listener));
  ServerOptions options;
  options.pool.overload = {};
  Server server(std::move(options), site, std::move(listeners));
  server.log_to(log_.get());
  server.start();
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      std::vector<Client> clients;
      for (int i = 0; i < connections; ++i) clients.emplace_back(address);
      for (int round = 0; round < rounds; ++round) {
        for (const Client& client : clients) client.get(round % 3 == 0 ? "/at-once" : "/x");
        for (Client& client : clients) EXPECT_FALSE(client.receive().empty());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(server.drain(20s));
  const auto lines = this->lines();
  EXPECT_EQ(lines.size(), 2U * connections * rounds);
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) { return has(line, "\"at_once\":true"); }),
            2 * connections * ((rounds + 2) / 3));
}

}  // namespace
}  // namespace weft::serve
