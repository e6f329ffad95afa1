// SPDX-License-Identifier: Apache-2.0
// Read, answer, write.
#include "serve/conversations.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <stdexcept>
#include <string>
#include <utility>

#include "net/address.h"
#include "serve/answering.h"
#include "serve/output.h"

namespace weft::serve {
namespace {

using std::chrono::steady_clock;

// How often who accepts looks whether the server ends.
constexpr int most_of_backlog = 4096;
constexpr auto time_between_looks = std::chrono::milliseconds{50};

std::chrono::milliseconds time_until(http::TimePoint until) {
  if (until == http::TimePoint::max()) return std::chrono::milliseconds{-1};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
  return std::clamp(left, std::chrono::milliseconds{0}, std::chrono::milliseconds{INT_MAX});
}

}  // namespace

Conversations::Conversations(const ReactorLimits& limits, Site& site,
                             std::vector<os::Descriptor> listeners,
                             std::unique_ptr<Concurrency> concurrency)
    : limits_(limits),
      site_(site),
      listeners_(std::move(listeners)),
      concurrency_(std::move(concurrency)) {}

Conversations::~Conversations() {
  drain(std::chrono::milliseconds{0});
  {
    const std::scoped_lock guard(lock_);
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  wait_for_lines(steady_clock::time_point::max());
}

void Conversations::start() {
  for (os::Descriptor& listener : listeners_) {
    {
      const std::scoped_lock guard(lock_);
      ++lines_;
    }
    if (concurrency_->begin([this, &listener] { accept_from(listener); })) continue;
    line_ends();
    throw std::runtime_error("no thread is left to accept connections; raise `ulimit -u`");
  }
}

void Conversations::line_ends() noexcept {
  // The last touch is under the lock: who waits for it may destroy all this.
  const std::scoped_lock guard(lock_);
  --lines_;
  line_ended_.notify_all();
}

void Conversations::accept_from(os::Descriptor& listener) {
  while (!draining_.load()) {
    pollfd ready{.fd = listener.get(), .events = POLLIN, .revents = 0};
    if (concurrency_->wait(ready, time_between_looks) <= 0) continue;
    if (accept_one(listener.get()) || errno == EAGAIN || errno == ECONNABORTED) continue;
    pollfd nothing{.fd = -1, .events = 0, .revents = 0};  // no numbers, or no memory, are left
    concurrency_->wait(nothing, time_between_looks);
  }
  // What has been accepted by the kernel is ours to answer; who connects now goes elsewhere.
  for (int i = 0; i < most_of_backlog && accept_one(listener.get()); ++i) {
  }
  concurrency_->close(listener.release());
  line_ends();
}

bool Conversations::accept_one(int listener) {
  sockaddr_storage storage{};
  socklen_t bytes = sizeof(storage);
  auto* const address = reinterpret_cast<sockaddr*>(&storage);
  os::Descriptor socket(::accept4(listener, address, &bytes, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket.valid()) return false;
  open(std::move(socket), net::Address(address, bytes).peer());
  return true;
}

void Conversations::open(os::Descriptor socket, std::string peer) {
  if (counters_.open.value() >= limits_.connections) return counters_.refused.add();
  const int without_delay = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &without_delay, sizeof(without_delay));
  {
    const std::scoped_lock guard(lock_);
    if (ending_) return;
    ++lines_;
    sockets_.insert(socket.get());
  }
  counters_.accepted.add();
  counters_.open.add();
  const int number = socket.release();
  const auto end = [this, number](bool is_open) {
    {
      const std::scoped_lock guard(lock_);
      sockets_.erase(number);
    }
    if (is_open) concurrency_->close(number);
    counters_.open.take_off();
    line_ends();
  };
  const bool begun = concurrency_->begin(
      [this, number, end, peer = std::move(peer)] { end(converse_on(number, peer)); });
  if (!begun) {
    counters_.refused.add();
    end(true);
  }
}

bool Conversations::converse_on(int socket, const std::string& peer) noexcept try {
  const auto context = tls_.get();
  net::Stream stream = context == nullptr ? net::Stream(os::Descriptor(socket))
                                          : net::Stream(os::Descriptor(socket), *context);
  try {
    converse(stream, peer);
  } catch (const std::exception&) {
    counters_.failed.add();  // no memory
  }
  static_cast<void>(stream.release());
  return true;
} catch (const std::exception&) {
  counters_.refused.add();
  return false;
}

void Conversations::converse(net::Stream& stream, const std::string& peer) {
  Exchange exchange(limits_.session, steady_clock::now());
  for (;;) {
    switch (exchange.advance(thread_moment())) {
      case Step::request:
        answer(exchange, peer);
        break;
      case Step::write:
        if (!flush(stream, exchange)) return;
        break;
      case Step::read:
        if (!flush(stream, exchange) || !read(stream, exchange)) return;
        break;
      case Step::close: {
        if (!flush(stream, exchange)) return;
        stream.shut_down();
        // What the peer still sends would reset the connection before it has read all.
        char nowhere[4096];
        const auto until = steady_clock::now() + limits_.linger;
        while (::recv(stream.socket(), nowhere, sizeof(nowhere), MSG_DONTWAIT) != 0) {
          if (steady_clock::now() >= until || !wait(stream, POLLIN, until)) return;
        }
        return;
      }
    }
  }
}

void Conversations::answer(Exchange& exchange, const std::string& peer) {
  respond_with(exchange, counters_, false, [&](Response& response) {
    site_.answer({exchange.head(), exchange.body(), peer}, response);
    if (draining_.load()) exchange.close_soon();
  });
}

bool Conversations::flush(net::Stream& stream, Exchange& exchange) {
  const auto began = steady_clock::now();
  const std::uint64_t sent_before = exchange.sent_bytes();
  for (;;) {
    const long result = send_output(stream, exchange);
    if (result == 0) return true;
    if (result == -EINPROGRESS) continue;
    const auto until = http::pace_deadline(limits_.read_pace, began, steady_clock::now(),
                                           exchange.sent_bytes() - sent_before);
    if (result != -EAGAIN || !wait(stream, stream.waits_to_write() ? POLLOUT : POLLIN, until)) {
      return false;
    }
  }
}

bool Conversations::read(net::Stream& stream, Exchange& exchange) {
  for (;;) {
    const auto room = exchange.room();
    const long bytes = stream.read(room);
    if (bytes > 0) {
      exchange.commit(static_cast<std::size_t>(bytes));
      return true;
    }
    if (bytes == 0) {
      exchange.end_of_input(thread_moment());
      return true;
    }
    if (bytes != -EAGAIN) return false;
    if (exchange.is_idle() && draining_.load()) exchange.close_soon();
    if (!wait(stream, stream.waits_to_write() ? POLLOUT : POLLIN, exchange.deadline())) {
      exchange.expire(thread_moment());
      return true;
    }
  }
}

bool Conversations::wait(const net::Stream& stream, short events, http::TimePoint until) {
  pollfd descriptor{.fd = stream.socket(), .events = events, .revents = 0};
  for (;;) {
    const int ready = concurrency_->wait(descriptor, time_until(until));
    if (ready > 0) return true;
    if (steady_clock::now() >= until) return false;
  }
}

bool Conversations::wait_for_lines(steady_clock::time_point until) {
  std::unique_lock guard(lock_);
  const auto all_ended = [this] { return lines_ == 0; };
  if (until != steady_clock::time_point::max())
    return line_ended_.wait_until(guard, until, all_ended);
  line_ended_.wait(guard, all_ended);
  return true;
}

bool Conversations::drain(std::chrono::milliseconds grace) {
  const auto begun = steady_clock::now();
  draining_.store(true);
  const auto end_of_patience =
      begun + std::min<std::chrono::milliseconds>(grace, limits_.drain_idle);
  if (wait_for_lines(end_of_patience)) return true;
  {
    // Whoever waits for a request reads what has come, and then the end.
    const std::scoped_lock guard(lock_);
    ending_ = true;
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RD);
  }
  return wait_for_lines(begun + grace);
}

}  // namespace weft::serve
