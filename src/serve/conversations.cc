// SPDX-License-Identifier: Apache-2.0
// Who accepts, and how it ends.
#include "serve/conversations.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <functional>
#include <stdexcept>
#include <utility>

#include "net/deadlines.h"
#include "net/listener.h"
#include "serve/output.h"

namespace weft::serve {
namespace {

using std::chrono::steady_clock;

constexpr int most_of_backlog = 4096;
// How often who accepts looks whether the server ends.
constexpr auto time_between_looks_at_draining = std::chrono::milliseconds{50};

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
    for (const auto& [socket, line] : connections_) {
      line->handler->tell(CancelReason::shutdown);
      ::shutdown(socket, SHUT_RDWR);
    }
  }
  lines_.wait_until(steady_clock::time_point::max());
}

void Conversations::start() {
  hang_ups_.start();
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
    if (concurrency_->wait(ready, time_between_looks_at_draining) <= 0) continue;
    if (accept_one(listener.get()) || errno == EAGAIN || errno == ECONNABORTED) continue;
    pollfd nothing{.fd = -1, .events = 0, .revents = 0};  // no numbers, or no memory, are left
    concurrency_->wait(nothing, time_between_looks_at_draining);
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

void Conversations::end_those_that_await(Awaits awaited) {
  const std::scoped_lock guard(lock_);
  for (const auto& [socket, line] : connections_) {
    const int each = socket;
    const bool is_told =
        line->awaits.try_end(awaited, [each] { return has_nothing_to_read(each); });
    if (!is_told) continue;
    hang_ups_.forget(each);     // a request that has just come is not of a client that has gone
    ::shutdown(each, SHUT_RD);  // which ends its wait
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
