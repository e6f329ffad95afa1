// SPDX-License-Identifier: Apache-2.0
// A server on loopback with a few handlers, and a client that blocks; for tests.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <weft/cancel_wait.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "net/listener.h"
#include "serve/server.h"

namespace weft::serve {

// /at-once is answered by the reactor, everything else by workers: /echo the body, /slow after
// 50 ms, /throw not at all, /large a megabyte, /cancelled when it is cancelled.
class TestSite : public Site {
 public:
  bool answer_at_once(const Request& request, Response& response) override {
    if (request.head.path_and_query() == "/throw-at-once") throw std::runtime_error("on purpose");
    if (request.head.path_and_query() != "/at-once") return false;
    response.set_constant_body("at once");
    return true;
  }
  void answer(const Request& request, Response& response) override {
    const std::string_view path = request.head.path_and_query();
    handled.fetch_add(1);
    if (path == "/throw") throw std::runtime_error("on purpose");
    if (path == "/cancelled") wait_to_be_cancelled();
    if (path == "/slow") std::this_thread::sleep_for(std::chrono::milliseconds{50});
    if (path == "/large") return response.set_body(std::string(1 << 20, 'x'));
    response.set_body(path == "/echo" ? std::string(request.body) : std::string(path));
  }
  void wait_to_be_cancelled() {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    wait(never, lock, cancellation(), [] { return false; });
    reason = cancellation().reason();
    cancellation().check();
  }
  std::atomic<int> handled{0};
  std::atomic<CancelReason> reason{CancelReason::none};  // of the last that was
};

class TestServer {
 public:
  explicit TestServer(ServerOptions options = {}) {
    auto listener = net::listen_on(*net::Address::parse("127.0.0.1:0"));
    EXPECT_TRUE(listener);
    port_ = net::address_of(*listener)->port();
    std::vector<os::Descriptor> listeners;
    listeners.push_back(std::move(*listener));
    options.reactors = 1;
    options.pool.overload = {};  // what is slow here is the machine
    server_ = std::make_unique<Server>(std::move(options), site, std::move(listeners));
    server_->start();
  }
  Server& server() { return *server_; }
  void end() { server_.reset(); }
  net::Address address() const {
    return *net::Address::parse("127.0.0.1:" + std::to_string(port_));
  }
  Totals totals() const { return server_->totals(); }

  TestSite site;

 private:
  std::uint16_t port_ = 0;
  std::unique_ptr<Server> server_;
};

class Client {
 public:
  explicit Client(const TestServer& server) : Client(server.address()) {}
  explicit Client(const net::Address& address)
      : socket_(::socket(address.family(), SOCK_STREAM, 0)) {
    EXPECT_EQ(::connect(socket_.get(), address.get(), address.bytes()), 0);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }
  void send(std::string_view text) const {
    EXPECT_EQ(::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  // As much of it as is taken at once, and perhaps nothing.
  std::size_t send_some(std::string_view text) const {
    const ssize_t sent =
        ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 ? 0 : static_cast<std::size_t>(sent);
  }
  // The other side may be gone.
  void send_anyway(std::string_view text) const {
    static_cast<void>(::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  }
  void get(std::string_view path, std::string_view fields = "") const {
    send("GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(fields) + "\r\n");
  }
  // The next response, head and body; empty at the end, or after too long.
  std::string receive() {
    std::size_t head_end = 0;
    while ((head_end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return std::exchange(buffer_, {});
    }
    const std::size_t length_at = buffer_.find("Content-Length: ");
    const std::size_t body = length_at < head_end ? std::stoul(buffer_.substr(length_at + 16)) : 0;
    while (buffer_.size() < head_end + 4 + body) {
      if (!more()) return std::exchange(buffer_, {});
    }
    std::string response = buffer_.substr(0, head_end + 4 + body);
    buffer_.erase(0, response.size());
    return response;
  }
  // Everything up to `end`, or to the end.
  std::string receive_until(std::string_view end) {
    std::size_t looked_at = 0;
    for (;;) {
      const std::size_t found = buffer_.find(end, looked_at);
      if (found != std::string::npos) {
        std::string text = buffer_.substr(0, found + end.size());
        buffer_.erase(0, text.size());
        return text;
      }
      looked_at = buffer_.size() < end.size() ? 0 : buffer_.size() - end.size();
      if (!more()) return std::exchange(buffer_, {});
    }
  }
  // Everything up to the end; nothing where that is no regular one.
  std::optional<std::string> receive_all() {
    errno = 0;
    while (more()) errno = 0;
    return errno == 0 ? std::optional(std::exchange(buffer_, {})) : std::nullopt;
  }
  // Not only nothing for a long time.
  bool sees_the_end() {
    errno = 0;
    return buffer_.empty() && !more() && errno != EAGAIN;
  }
  void end_output() const { ::shutdown(socket_.get(), SHUT_WR); }

 private:
  bool more() {
    char piece[16 * 1024];
    const ssize_t bytes = ::recv(socket_.get(), piece, sizeof(piece), 0);
    if (bytes > 0) buffer_.append(piece, static_cast<std::size_t>(bytes));
    return bytes > 0;
  }
  os::Descriptor socket_;
  std::string buffer_;
};

inline bool is(const std::string& response, std::string_view status, std::string_view body) {
  return response.starts_with("HTTP/1.1 " + std::string(status)) &&
         response.ends_with("\r\n\r\n" + std::string(body));
}

// How many responses of a TestSite were wrong, of so many rounds of requests on many connections at
// once, some of which are answered at once, and some pipelined.
inline int wrong_of_many(const net::Address& address, int rounds) {
  constexpr int most_threads = 4;
  constexpr int clients_of_one = 8;
  std::vector<std::thread> threads;
  threads.reserve(most_threads);
  std::atomic<int> wrong{0};
  for (int i = 0; i < most_threads; ++i) {
    threads.emplace_back([&, i] {
      std::vector<Client> clients;
      clients.reserve(clients_of_one);
      for (int c = 0; c < clients_of_one; ++c) clients.emplace_back(address);
      for (int round = 0; round < rounds; ++round) {
        for (const Client& client : clients) {
          client.get((round + i) % 5 == 0 ? "/at-once" : "/x");
          if (round % 3 == 0) client.get("/y");
        }
        for (Client& client : clients) {
          if (!client.receive().starts_with("HTTP/1.1 200")) ++wrong;
          if (round % 3 == 0 && !is(client.receive(), "200", "/y")) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

}  // namespace weft::serve
