// SPDX-License-Identifier: Apache-2.0
// Whole runs against a server in this process, with several threads; ThreadSanitizer looks on.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "load/load.h"

namespace weft::load {
namespace {

using namespace std::chrono_literals;

// Answers whatever comes in one piece with the same bytes, until it goes.
class SmallServer {
 public:
  explicit SmallServer(std::string answer) : answer_(std::move(answer)) {
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listening_, generic, bytes), 0);
    EXPECT_EQ(::listen(listening_, 256), 0);
    EXPECT_EQ(::getsockname(listening_, generic, &bytes), 0);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
    thread_ = std::thread([this] { serve(); });
  }
  ~SmallServer() {
    stop_ = true;
    thread_.join();
    ::close(listening_);
  }
  SmallServer(const SmallServer&) = delete;
  SmallServer& operator=(const SmallServer&) = delete;

  const std::string& url() const { return url_; }
  int answered() const { return answered_; }

 private:
  void serve() {
    std::vector<pollfd> all = {{listening_, POLLIN, 0}};
    while (!stop_) {
      ::poll(all.data(), all.size(), 10);
      const std::size_t known = all.size();
      for (std::size_t i = known; i-- > 1;) {
        if (all[i].revents != 0 && !answer(all[i].fd)) {
          ::close(all[i].fd);
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
      if (all[0].revents == 0) continue;
      const int accepted = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (accepted >= 0) all.push_back({accepted, POLLIN, 0});
    }
    for (std::size_t i = 1; i < all.size(); ++i) ::close(all[i].fd);
  }

  bool answer(int connection) {
    char buffer[4096];
    if (::recv(connection, buffer, sizeof(buffer), 0) <= 0) return false;
    ++answered_;
    return ::send(connection, answer_.data(), answer_.size(), MSG_NOSIGNAL) > 0;
  }

  std::string answer_;
  int listening_ = -1;
  std::string url_;
  std::atomic<bool> stop_{false};
  std::atomic<int> answered_{0};
  std::thread thread_;
};

constexpr const char* good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

std::uint64_t count(const Report& report, Outcome outcome) {
  return report.summary.counts[static_cast<std::size_t>(outcome)];
}

Plan open_plan(const std::string& url, double rate, nanoseconds length) {
  Plan plan;
  plan.requests = {{url}};
  plan.schedule = *make_schedule(steady(rate, length, Spacing::uniform), 1);
  return plan;
}

TEST(Run, ThreadsShareAnOpenLoop) {
  const SmallServer server(good);
  Plan plan = open_plan(server.url(), 500, 400ms);
  plan.threads = 3;
  plan.ready_connections = 5;
  const auto report = run(plan);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->samples.size(), 200U);
  EXPECT_EQ(count(*report, Outcome::good), 200U);
  EXPECT_EQ(server.answered(), 200);
  for (const Sample& sample : report->samples) {
    EXPECT_GE(sample.begun, sample.intended);
    EXPECT_GE(sample.sent, sample.begun);
    EXPECT_GE(sample.end, sample.first_byte);
  }
}

TEST(Run, ThreadsShareAClosedLoop) {
  const SmallServer server(good);
  Plan plan;
  plan.requests = {{server.url()}};
  plan.closed = Closed{7, 30s, 301};
  plan.threads = 3;
  const auto report = run(plan);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(count(*report, Outcome::good), 301U);
  EXPECT_EQ(report->samples.size(), 301U);
  EXPECT_EQ(report->connections, 7U);
  EXPECT_EQ(report->summary.served.count, 301U);
}

TEST(Run, AWatcherStopsIt) {
  const SmallServer server(good);
  const Plan plan = open_plan(server.url(), 100, 60s);
  const auto report = run(plan, [](const Progress& progress) { return progress.ended < 5; });
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->was_stopped);
  EXPECT_GE(count(*report, Outcome::good), 5U);
  EXPECT_GT(count(*report, Outcome::unfinished), 0U);
}

TEST(Run, ThrottlingMakesItVoid) {
  const SmallServer server(good);
  Plan plan = open_plan(server.url(), 100, 100ms);
  plan.throttled = [calls = 0]() mutable { return nanoseconds{calls++ * 5ms}; };
  const auto report = run(plan);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->usage.throttled, 5ms);
  EXPECT_TRUE(report->check.is_void());
}

TEST(Run, AnAnswerThatIsNoneIsMalformed) {
  const SmallServer server("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n");
  const auto report = run(open_plan(server.url(), 100, 100ms));
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(count(*report, Outcome::malformed), 10U);
  EXPECT_EQ(report->summary.served.p50, 10s);
}

TEST(Run, WhatCannotBeDoneIsRefused) {
  const auto refused = [](auto change) {
    Plan plan = open_plan("http://127.0.0.1:1/", 10, 100ms);
    change(plan);
    const auto report = run(plan);
    return report ? std::string() : report.error().message;
  };
  EXPECT_NE(refused([](Plan& plan) { plan.requests.clear(); }), "");
  EXPECT_NE(refused([](Plan& plan) { plan.schedule = {}; }), "");
  EXPECT_NE(refused([](Plan& plan) { plan.threads = 0; }), "");
  EXPECT_NE(refused([](Plan& plan) { plan.timeout = 0s; }), "");
  EXPECT_NE(refused([](Plan& plan) { plan.cpus = {100'000}; }), "");
  EXPECT_NE(refused([](Plan& plan) { plan.most_connections = 2'000'000'000; }), "");
  EXPECT_NE(refused([](Plan& plan) { plan.closed = Closed{0, 1s}; }), "");
  EXPECT_NE(refused([](Plan& plan) {
              plan.threads = 3;
              plan.closed = Closed{8, 1s, 2};
            }),
            "");
}

}  // namespace
}  // namespace weft::load
