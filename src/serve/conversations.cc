// SPDX-License-Identifier: Apache-2.0
// Read, answer, write.
#include "serve/conversations.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "net/deadlines.h"
#include "net/listener.h"
#include "serve/answering.h"
#include "serve/output.h"

namespace weft::serve {
namespace {

using std::chrono::steady_clock;

constexpr int most_of_backlog = 4096;
// How often who accepts looks whether the server ends.
constexpr auto time_between_looks = std::chrono::milliseconds{50};

}  // namespace

Conversations::Conversations(const ReactorLimits& limits, Site& site,
                             std::vector<os::Descriptor> listeners,
                             std::unique_ptr<Concurrency> concurrency)
    : limits_(limits),
      site_(site),
      listeners_(std::move(listeners)),
      memory_(limits.all_bodies_bytes, limits.retry_after),
      peers_(limits.connections_by_peer),
      concurrency_(std::move(concurrency)) {}

Conversations::~Conversations() {
  drain(std::chrono::milliseconds{0});
  {
    const std::scoped_lock guard(lock_);
    for (const auto& [socket, line] : connections_) ::shutdown(socket, SHUT_RDWR);
  }
  lines_.wait_until(steady_clock::time_point::max());
}

void Conversations::start() {
  for (os::Descriptor& listener : listeners_) {
    lines_.begins();
    acceptors_.begins();
    if (concurrency_->begin([this, &listener] { accept_from(listener); })) continue;
    acceptors_.ends();
    lines_.ends();
    throw std::runtime_error("no thread is left to accept connections; raise `ulimit -u`");
  }
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
  const auto until = steady_clock::now() + limits_.drain_accepting;
  pollfd ready{.fd = listener.get(), .events = POLLIN, .revents = 0};
  do {
    for (int i = 0; i < most_of_backlog && accept_one(listener.get()); ++i) {
    }
  } while (steady_clock::now() < until &&
           concurrency_->wait(ready, net::patience_until(until)) > 0);
  concurrency_->close(listener.release());
  acceptors_.ends();
  lines_.ends();
}

bool Conversations::accept_one(int listener) noexcept {
  auto accepted = net::accept_connection(listener);
  if (!accepted) return false;
  try {
    open(std::move(accepted->socket), accepted->address.peer());
  } catch (const std::exception&) {
    counters_.refused.add();
  }
  return true;
}

void Conversations::open(os::Descriptor socket, net::Peer peer) {
  const auto line = std::make_shared<Line>(socket.get(), std::move(peer));
  std::function<void()> life = [this, line] {
    converse_on(*line);
    end_line(*line);
  };
  if (!add_line(line)) return;
  static_cast<void>(socket.release());  // the line's, and closed by its end
  if (concurrency_->begin(std::move(life))) return;
  counters_.refused.add();
  end_line(*line);
}

bool Conversations::add_line(const std::shared_ptr<Line>& line) {
  const std::scoped_lock guard(lock_);
  if (ending_) return false;
  if (connections_.size() >= limits_.connections || !peers_.enter(line->peer.network)) {
    counters_.refused.add();
    return false;
  }
  try {
    connections_.emplace(line->socket, line);
  } catch (...) {
    peers_.leave(line->peer.network);
    throw;
  }
  lines_.begins();
  counters_.accepted.add();
  counters_.open.add();
  return true;
}

void Conversations::end_line(const Line& line) noexcept {
  {
    const std::scoped_lock guard(lock_);
    peers_.leave(line.peer.network);
    connections_.erase(line.socket);
  }
  concurrency_->close(line.socket);
  counters_.open.take_off();
  lines_.ends();
}

void Conversations::converse_on(Line& line) noexcept {
  os::Descriptor socket(line.socket);
  try {
    net::Stream stream = tls_.open(std::move(socket));
    converse(stream, line);
    static_cast<void>(stream.release());
  } catch (const std::exception&) {
    counters_.refused.add();  // no memory for TLS
    static_cast<void>(socket.release());
  }
}

void Conversations::converse(net::Stream& stream, Line& line) noexcept {
  Exchange exchange(limits_.session, steady_clock::now(), &site_, &memory_, &counters_);
  try {
    exchange.log_to(log(), line.peer.host, stream.is_encrypted());
    converse(stream, exchange, line);
  } catch (...) {
    counters_.failed.add();  // no memory
  }
  end_honestly(stream, exchange);
}

void Conversations::converse(net::Stream& stream, Exchange& exchange, Line& line) {
  for (;;) {
    switch (exchange.advance(thread_moment())) {
      case Step::request:
        answer(exchange, line.peer.host);
        break;
      case Step::work:
        go_on_with(exchange, counters_, draining_.load());
        break;
      case Step::write:
        if (!flush(stream, exchange)) return;
        break;
      case Step::read:
        if (!flush(stream, exchange) || !read(stream, exchange, line)) return;
        break;
      case Step::close: {
        if (!flush(stream, exchange) || exchange.must_reset()) return;
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

bool Conversations::read(net::Stream& stream, Exchange& exchange, Line& line) {
  const auto room = exchange.room();
  for (;;) {
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
    const Awaits awaits = !exchange.is_idle()         ? Awaits::nothing
                          : stream.is_shaking_hands() ? Awaits::handshake
                                                      : Awaits::request;
    line.awaits.begin(awaits);  // before the look at draining_
    http::TimePoint until = exchange.deadline();
    const bool is_last = draining_.load() && awaits != Awaits::nothing;
    if (is_last) {
      exchange.close_soon();
      until = std::min(
          until, steady_clock::now() +
                     (awaits == Awaits::request ? limits_.drain_idle : limits_.drain_handshake));
    }
    const bool is_ready = wait(stream, stream.waits_to_write() ? POLLOUT : POLLIN, until);
    if (!line.awaits.end() && has_no_more_to_read(stream.socket())) {
      stream.shut_down();
      return false;
    }
    if (is_ready) continue;
    if (is_last && !has_nothing_to_read(stream.socket())) continue;  // it has come since
    if (is_last) {
      stream.shut_down();
      return false;
    }
    exchange.expire(thread_moment());
    return true;
  }
}

bool Conversations::wait(const net::Stream& stream, short events, http::TimePoint until) {
  pollfd descriptor{.fd = stream.socket(), .events = events, .revents = 0};
  for (;;) {
    const int ready = concurrency_->wait(descriptor, net::patience_until(until));
    if (ready > 0) return true;
    if (steady_clock::now() >= until) return false;
  }
}

void Conversations::end_those_that_await(Awaits awaited) {
  const std::scoped_lock guard(lock_);
  for (const auto& [socket, line] : connections_) {
    const int each = socket;
    const bool is_told =
        line->awaits.try_end(awaited, [each] { return has_nothing_to_read(each); });
    if (is_told) ::shutdown(each, SHUT_RD);  // which ends its wait
  }
}

bool Conversations::drain(std::chrono::milliseconds grace) {
  const auto begun = steady_clock::now();
  draining_.store(true);
  const auto end_of_patience =
      begun + std::min<std::chrono::milliseconds>(grace, limits_.drain_idle);
  if (lines_.wait_until(end_of_patience)) return true;
  acceptors_.wait_until(begun + grace);
  {
    const std::scoped_lock guard(lock_);
    ending_ = true;
  }
  end_those_that_await(Awaits::request);
  const auto end_of_handshakes =
      begun + std::min<std::chrono::milliseconds>(grace, limits_.drain_handshake);
  if (lines_.wait_until(end_of_handshakes)) return true;
  end_those_that_await(Awaits::handshake);
  return lines_.wait_until(begun + grace);
}

}  // namespace weft::serve
