// SPDX-License-Identifier: Apache-2.0
// What the reactor does with its connections.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "serve/reactor.h"

namespace weft::serve {
namespace {

// An idle connection keeps its memory for so long: the next request often comes at once.
constexpr auto time_to_rest = std::chrono::seconds{1};
// Requests and reads in a row, before other connections have a turn.
constexpr int most_turns = 64;

}  // namespace

void Reactor::accept_all(int listener) {
  while (accepts_) {
    sockaddr_storage storage{};
    socklen_t bytes = sizeof(storage);
    auto* const address = reinterpret_cast<sockaddr*>(&storage);
    os::Descriptor socket(::accept4(listener, address, &bytes, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.valid()) {
      open(std::move(socket), net::Address(address, bytes));
    } else if (errno == EMFILE || errno == ENFILE) {
      return turn_away(listener);
    } else if (errno != ECONNABORTED && errno != EINTR) {
      return;
    }
  }
}

// There is no number left for it, and the listener would stay ready for ever: the one that is kept
// for this is given up for a moment.
void Reactor::turn_away(int listener) {
  spare_.reset();
  const os::Descriptor refused(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (refused.valid()) counters_.refused.add();
  spare_.reset(::fcntl(wakes_.get(), F_DUPFD_CLOEXEC, 0));
}

void Reactor::open(os::Descriptor socket, const net::Address& address) {
  std::string peer = address.peer();
  std::size_t& of_peer = by_peer_[peer];
  if (counters_.open.value() >= limits_.connections || of_peer >= limits_.connections_by_peer) {
    counters_.refused.add();
    if (of_peer == 0) by_peer_.erase(peer);
    return;
  }
  const int without_delay = 1;
  if (address.family() != AF_UNIX) {
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &without_delay, sizeof(without_delay));
  }
  const auto context = tls_.get();
  net::Stream stream = context == nullptr ? net::Stream(std::move(socket))
                                          : net::Stream(std::move(socket), *context);
  auto* const connection = new Connection(*this, std::move(stream), std::move(peer), moment_.now);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = connection;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection->stream.socket(), &event) != 0) {
    delete connection;
    if (of_peer == 0) by_peer_.erase(address.peer());
    return counters_.refused.add();
  }
  ++of_peer;
  counters_.accepted.add();
  counters_.open.add();
  connection->next = first_;
  if (first_ != nullptr) first_->previous = connection;
  first_ = connection;
  serve(*connection);  // the request often comes along
}

void Reactor::serve(Connection& connection) {
  if (connection.is_closed) return;
  if (connection.is_lingering) return throw_away_input(connection);
  for (int turns = most_turns; turns != 0; --turns) {
    const Step step = connection.exchange.advance(moment_);
    if (step == Step::request) {
      if (!answer(connection)) return;
      continue;
    }
    if (const long result = connection.flush(); result != 0) {
      return result == -EAGAIN ? wait_for_edge(connection, true) : close(connection);
    }
    if (step == Step::close) return linger(connection);
    if (step == Step::read && !read(connection)) return;
  }
  // It is always ready: others first. Until then it is as if a worker had it.
  connection.give_to_worker();
  post(connection);
}

bool Reactor::answer(Connection& connection) {
  Response response;
  if (site_.answer_at_once(connection.request(), response)) {
    counters_.at_once.add();
  } else {
    connection.give_to_worker();
    if (pool_.try_submit(connection) == Submitted::accepted) return false;
    connection.take_back();
    refuse_for_load(response);
  }
  counters_.count(response.status());
  if (is_draining()) connection.exchange.close_soon();
  connection.exchange.respond(response, moment_);
  return true;
}

void Reactor::refuse_for_load(Response& response) {
  counters_.overloaded.add();
  set_error(response, 503, "too many requests wait; try again soon");
  response.add_field("Retry-After", std::to_string(limits_.retry_after.count()));
}

bool Reactor::read(Connection& connection) {
  if (!connection.is_readable && !connection.stream.has_pending()) {
    wait_for_edge(connection, false);
    return false;
  }
  const std::span<char> room = connection.exchange.room();
  const long bytes = connection.stream.read(room);
  if (bytes > 0) {
    connection.exchange.commit(static_cast<std::size_t>(bytes));
    // Less than there was room for: nothing is left, and the next edge will say more.
    if (!connection.may_have_ended && !connection.stream.is_encrypted() &&
        static_cast<std::size_t>(bytes) < room.size()) {
      connection.is_readable = false;
    }
    return true;
  }
  if (bytes == -EAGAIN) {
    connection.is_readable = connection.may_have_ended = false;
    return true;
  }
  if (bytes == 0) {
    connection.is_readable = false;
    connection.exchange.end_of_input(moment_);
    return true;
  }
  close(connection);
  return false;
}

void Reactor::wait_for_edge(Connection& connection, bool is_blocked) {
  net::TimePoint until =
      is_blocked ? moment_.now + limits_.write_pause : connection.exchange.deadline();
  const bool is_idle = !is_blocked && connection.exchange.is_idle();
  if (is_idle) {
    until = std::min(until, moment_.now + time_to_rest);
    if (is_draining()) until = std::min(until, moment_.now + limits_.drain_idle);
  }
  deadlines_.set(connection, until);
}

void Reactor::expire(Connection& connection) {
  if (connection.is_with_worker()) {
    return deadlines_.set(connection, moment_.now + time_to_rest);
  }
  if (connection.is_lingering || connection.exchange.has_output()) return close(connection);
  if (is_draining() && connection.exchange.is_idle()) return close(connection);
  connection.exchange.rest();
  if (moment_.now < connection.exchange.deadline()) {
    return deadlines_.set(connection, connection.exchange.deadline());
  }
  connection.exchange.expire(moment_);
  serve(connection);
}

// A socket that is closed while something is unread resets the connection, and the peer may never
// read our last words.
void Reactor::linger(Connection& connection) {
  connection.is_lingering = true;
  connection.stream.shut_down();
  deadlines_.set(connection, moment_.now + limits_.linger);
  throw_away_input(connection);
}

void Reactor::throw_away_input(Connection& connection) {
  std::array<char, std::size_t{16} * 1024> nowhere;
  for (int i = 0; i < 16; ++i) {
    const ssize_t bytes =
        ::recv(connection.stream.socket(), nowhere.data(), nowhere.size(), MSG_DONTWAIT);
    if (bytes < 0 && errno == EAGAIN) return;
    if (bytes <= 0) return close(connection);
  }
  close(connection);  // it does not listen
}

void Reactor::close(Connection& connection) {
  deadlines_.cancel(connection);
  if (connection.previous != nullptr) connection.previous->next = connection.next;
  if (connection.next != nullptr) connection.next->previous = connection.previous;
  if (first_ == &connection) first_ = connection.next;
  const auto of_peer = by_peer_.find(connection.peer);
  if (--of_peer->second == 0) by_peer_.erase(of_peer);
  counters_.open.take_off();
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, connection.stream.socket(), nullptr);
  connection.is_closed = true;
  closed_.push_back(&connection);
}

}  // namespace weft::serve
