// SPDX-License-Identifier: Apache-2.0
// Bodies that are streamed, for tests: a site that has them, on each driver, and how they are read.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "net/listener.h"
#include "serve/conversations.h"
#include "serve/coroutines.h"
#include "serve/server.h"
#include "serve/test_site.h"

namespace weft::serve {

// What tests see of sources and sinks.
struct Seen {
  std::atomic<int> made{0};
  std::atomic<int> alive{0};
  std::atomic<int> taken{0};       // pieces
  std::atomic<bool> holds{false};  // all of /count-held
};

// The digits in turn; at its end it throws, if it is to.
class Digits final : public BodySource {
 public:
  Digits(std::uint64_t bytes, std::size_t most_at_once, bool throws, Seen& seen)
      : left_(bytes), most_at_once_(most_at_once), throws_(throws), seen_(seen) {
    seen_.alive.fetch_add(1);
    seen_.made.fetch_add(1);
  }
  ~Digits() override { seen_.alive.fetch_sub(1); }
  std::size_t produce(std::span<char> room) override {
    const std::uint64_t most = std::min<std::uint64_t>(room.size(), most_at_once_);
    const auto size = static_cast<std::size_t>(std::min(left_, most));
    if (size == 0 && throws_) throw std::runtime_error("on purpose");
    for (char& digit : room.first(size)) digit = static_cast<char>('0' + position_++ % 10);
    left_ -= size;
    return size;
  }
  static std::string text(std::size_t bytes) {
    std::string text(bytes, ' ');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('0' + i % 10);
    return text;
  }

 private:
  std::uint64_t left_;
  const std::size_t most_at_once_;
  const bool throws_;
  std::uint64_t position_ = 0;
  Seen& seen_;
};

// Says whether the body was the digits in turn, and how many; the rest is what can go wrong.
class DigitSink final : public BodySink {
 public:
  DigitSink(std::string_view path, Seen& seen) : path_(path), seen_(seen) {
    seen_.alive.fetch_add(1);
    seen_.made.fetch_add(1);
  }
  ~DigitSink() override { seen_.alive.fetch_sub(1); }
  bool take(std::string_view piece) override {
    while (path_ == "/count-held" && seen_.holds) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    if (path_ == "/count-slowly") std::this_thread::sleep_for(std::chrono::milliseconds{400});
    if (path_ == "/count-and-throw") throw std::runtime_error("on purpose");
    seen_.taken.fetch_add(1);
    for (const char digit : piece) are_digits_ &= digit == static_cast<char>('0' + bytes_++ % 10);
    return path_ != "/count-ten" || bytes_ < 10;
  }
  void answer(Response& response) override {
    if (path_ == "/count-and-stream") {
      return response.stream(std::make_shared<Digits>(bytes_, SIZE_MAX, false, seen_));
    }
    response.set_body(are_digits_ ? std::to_string(bytes_) : "they are no digits");
  }

 private:
  const std::string path_;
  std::uint64_t bytes_ = 0;
  bool are_digits_ = true;
  Seen& seen_;
};

// /stream/N answers N digits, /crumbs/N the same seven at a time, /breaks/N stops behind them,
// /peer is who asks, and everything else is its path. The bodies of /count… are streamed to a sink,
// as is that of /whole-count, when it is there; that of /early is streamed to nobody.
class StreamSite : public Site {
 public:
  bool streams_body(const http::RequestHead& head) override {
    return head.path_and_query().starts_with("/count") || head.path_and_query() == "/early";
  }
  bool answer_at_once(const Request&, Response&) override { return false; }
  void answer(const Request& request, Response& response) override {
    const std::string_view path = request.head.path_and_query();
    if (path.starts_with("/count") || path == "/whole-count") {
      return response.read_body(std::make_shared<DigitSink>(path, seen));
    }
    const auto number = [&] {
      std::uint64_t value = 0;
      const std::string_view text = path.substr(path.rfind('/') + 1);
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    };
    if (path == "/peer") return response.set_body(std::string(request.peer));
    const bool breaks = path.starts_with("/breaks/");
    const bool crumbs = path.starts_with("/crumbs/");
    if (!breaks && !crumbs && !path.starts_with("/stream/")) {
      return response.set_body(std::string(path));
    }
    response.stream(std::make_shared<Digits>(number(), crumbs ? 7 : SIZE_MAX, breaks, seen));
  }

  Seen seen;
};

enum class Driver { pool, threads, fibers, coroutines };
inline constexpr Driver all_drivers[] = {Driver::pool, Driver::threads, Driver::fibers,
                                         Driver::coroutines};
inline std::string name_of(const ::testing::TestParamInfo<Driver>& info) {
  constexpr const char* names[] = {"Pool", "Threads", "Fibers", "Coroutines"};
  return names[static_cast<std::size_t>(info.param)];
}

// A server with one worker, where there are workers.
struct StreamServer {
  explicit StreamServer(Driver driver, const ReactorLimits& limits = {}, AccessLog* log = nullptr,
                        std::string_view place = "127.0.0.1:0") {
    auto listener = net::listen_on(*net::Address::parse(place));
    EXPECT_TRUE(listener);
    address = *net::address_of(*listener);
    std::vector<os::Descriptor> listeners;
    listeners.push_back(std::move(*listener));
    if (driver == Driver::pool) {
      ServerOptions options;
      options.limits = limits;
      options.reactors = 1;
      options.pool.policy = Policy::fixed;
      options.pool.minimum = options.pool.maximum = 1;
      options.pool.overload = {};
      server = std::make_unique<Server>(std::move(options), site, std::move(listeners));
    } else if (driver == Driver::coroutines) {
      CoroutineOptions options;
      options.limits = limits;
      options.threads = 2;
      options.pool.policy = Policy::fixed;
      options.pool.minimum = options.pool.maximum = 1;
      server = make_coroutines(std::move(options), site, std::move(listeners));
    } else {
      server = std::make_unique<Conversations>(
          limits, site, std::move(listeners),
          driver == Driver::fibers ? make_fibers(2) : make_threads());
    }
    server->log_to(log);
    server->start();
  }

  StreamSite site;
  net::Address address = *net::Address::parse("127.0.0.1:0");
  std::unique_ptr<RunningServer> server;
};

// The body of a chunked response, head and all; nothing where it does not end as it must.
inline std::optional<std::string> unchunked(std::string_view response) {
  const std::size_t head_end = response.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return std::nullopt;
  if (response.substr(0, head_end).find("Transfer-Encoding: chunked") == std::string_view::npos) {
    return std::nullopt;
  }
  std::string body;
  for (std::string_view rest = response.substr(head_end + 4);;) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size, 16);
    if (error != std::errc() ||
        !std::string_view(end, rest.data() + rest.size()).starts_with("\r\n"))
      return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 2);
    if (rest.size() < size + 2 || rest.substr(size, 2) != "\r\n") return std::nullopt;
    if (size == 0) return rest.size() == 2 ? std::optional(body) : std::nullopt;
    body += rest.substr(0, size);
    rest.remove_prefix(size + 2);
  }
}

}  // namespace weft::serve
