// SPDX-License-Identifier: Apache-2.0
// Whom the reactor lets in.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <exception>
#include <memory>
#include <utility>

#include "net/listener.h"
#include "serve/clock.h"
#include "serve/reactor.h"

namespace weft::serve {
namespace {

constexpr int most_accepted = 64;
constexpr int most_rounds_of_backlog = 64;
constexpr auto time_without_accepting = std::chrono::milliseconds{50};

}  // namespace

bool Reactor::accept_some(int listener) {
  for (int i = 0; i < most_accepted; ++i) {
    if (auto accepted = net::accept_connection(listener)) {
      open(std::move(accepted->socket), accepted->address);
    } else if (errno == EAGAIN) {
      return false;
    } else if (errno != ECONNABORTED && errno != EINTR) {
      turn_away(listener);
      return false;
    }
  }
  return true;
}

// There is no number left for it, and the listener would stay ready for ever: the one that is kept
// for this is given up for a moment.
void Reactor::turn_away(int listener) {
  spare_.reset();
  const bool is_refused =
      os::Descriptor(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)).valid();
  spare_.reset(::fcntl(wakes_.get(), F_DUPFD_CLOEXEC, 0));
  if (is_refused) return counters_.refused.add();
  pause_accepting();  // others were faster, or there is no memory: not again and again
}

void Reactor::pause_accepting() noexcept {
  pause_listeners();
  accepts_again_ = moment_.now + time_without_accepting;
}

void Reactor::open(os::Descriptor socket, const net::Address& address) try {
  const net::Peer peer = address.peer();
  if (counters_.open.value() >= limits_.connections || !peers_.enter(peer.network)) {
    return counters_.refused.add();
  }
  Connection* const connection = make_connection(std::move(socket), peer).release();
  if (connection == nullptr) {
    peers_.leave(peer.network);
    return counters_.refused.add();
  }
  counters_.accepted.add();
  counters_.open.add();
  connection->next = first_;
  if (first_ != nullptr) first_->previous = connection;
  first_ = connection;
  wait_for_edge(*connection);
  serve(*connection);  // the request often comes along
} catch (const std::exception&) {
  counters_.refused.add();  // no memory to count it
}

std::unique_ptr<Connection> Reactor::make_connection(os::Descriptor socket,
                                                     const net::Peer& peer) noexcept try {
  auto connection =
      std::make_unique<Connection>(*this, tls_.open(std::move(socket)), peer, moment_.now);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = connection.get();
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection->stream.socket(), &event) != 0) {
    return nullptr;
  }
  return connection;
} catch (const std::exception&) {
  return nullptr;
}

void Reactor::let_go() {
  if (std::exchange(lets_go_at_, net::never) == net::never) return;
  moment_ = thread_moment();
  // What has been accepted by the kernel is ours to answer.
  for (const os::Descriptor& listener : listeners_) {
    for (int i = 0; i < most_rounds_of_backlog && accept_some(listener.get()); ++i) {
    }
  }
  pause_listeners();
  accepts_again_ = http::TimePoint::max();
  let_go_.store(true, std::memory_order_release);
}

}  // namespace weft::serve
