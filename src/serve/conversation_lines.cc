// SPDX-License-Identifier: Apache-2.0
// Read, answer, write.
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <string>
#include <utility>

#include "net/deadlines.h"
#include "serve/answering.h"
#include "serve/conversations.h"
#include "serve/output.h"

namespace weft::serve {
namespace {

using std::chrono::steady_clock;

}  // namespace

void Conversations::converse_on(Line& line) noexcept {
  os::Descriptor socket(line.socket);
  try {
    const HangUps::Watch watch(hang_ups_, line.socket, line.handler);
    net::Stream stream = tls_.open(std::move(socket));
    converse(stream, line);
    static_cast<void>(stream.release());
  } catch (const std::exception&) {
    counters_.refused.add();  // no memory
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
        answer(exchange, line);
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

void Conversations::answer(Exchange& exchange, Line& line) {
  respond_with(exchange, counters_, false, [&](Response& response) {
    const Request request{exchange.head(), exchange.body(), line.peer.host, exchange.asked()};
    line.handler->run([&] { site_.answer(request, response); });
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

}  // namespace weft::serve
