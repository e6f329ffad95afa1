// SPDX-License-Identifier: Apache-2.0
// What the reactor does with its connections.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <exception>
#include <string>
#include <utility>

#include "net/listener.h"
#include "serve/answering.h"
#include "serve/reactor.h"

namespace weft::serve {
namespace {

// An idle connection keeps its memory for so long: the next request often comes at once.
constexpr std::chrono::milliseconds time_to_rest{1000};
// Requests and reads in a row, before other connections have a turn.
constexpr int most_turns = 64;
constexpr int most_accepted = 64;
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
  deadlines_.set(*connection, moment_.now + time_to_rest);
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

void Reactor::serve(Connection& connection) noexcept {
  if (connection.is_closed) return;
  if (connection.is_lingering) return throw_away_input(connection);
  try {
    serve_turns(connection);
  } catch (...) {
    counters_.failed.add();
    close(connection);
  }
}

void Reactor::serve_turns(Connection& connection) {
  for (int turns = most_turns; turns != 0; --turns) {
    const Step step = connection.exchange.advance(moment_);
    if (step == Step::request) {
      if (!answer(connection)) return;
      continue;
    }
    if (step == Step::work) return hand_to_worker(connection);
    const long result = connection.flush();
    if (result == -EINPROGRESS) {
      connection.is_blocked = false;  // it reads, and well
      break;
    }
    if (result == -EAGAIN) return wait_for_reader(connection);
    if (result != 0) return close(connection);
    connection.is_blocked = false;
    if (step == Step::close) return linger(connection);
    if (step == Step::read && !read(connection)) return;
  }
  // It is always ready: others first.
  if (!std::exchange(connection.is_in_again, true)) again_.push_back(&connection);
}

bool Reactor::answer(Connection& connection) {
  bool is_submitted = false;
  Response at_once;
  std::exception_ptr thrown;
  bool is_answered = true;
  try {
    is_answered = site_.answer_at_once(connection.request(), at_once);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (!is_answered) {
    connection.is_blocked = false;
    connection.owner.give_to_worker();
    is_submitted = pool_.try_submit(connection) == Submitted::accepted;
    if (is_submitted) return false;  // it is not ours any more
    connection.owner.take_back();
  }
  if (is_answered && thrown == nullptr) {
    counters_.at_once.add();
    if (Counters::is_timed(at_once.status())) ++timed_in_round_;
    respond(connection.exchange, counters_, is_draining(), at_once, moment_);
    return true;
  }
  respond_with(connection.exchange, counters_, is_draining(), [&](Response& response) {
    if (thrown != nullptr) std::rethrow_exception(thrown);
    refuse_for_load(response);
  });
  return true;
}

// For what can not be refused any more: it is tried until there is room.
void Reactor::hand_to_worker(Connection& connection) {
  connection.owner.give_to_worker();
  if (pool_.try_submit(connection) == Submitted::accepted) return;
  connection.owner.take_back();
  connection.waits_for_worker = true;
  deadlines_.set(connection, moment_.now + time_between_submits);
}

void Reactor::refuse_for_load(Response& response) {
  serve::refuse_for_load(response, counters_, limits_.retry_after);
}

bool Reactor::read(Connection& connection) {
  if (!connection.is_readable) {
    wait_for_edge(connection);
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

// What it sends does not count: it must read, at some pace.
void Reactor::wait_for_reader(Connection& connection) {
  const std::uint64_t sent = connection.exchange.sent_bytes();
  if (!connection.is_blocked) {
    connection.is_blocked = true;
    connection.blocked_since = connection.read_last = moment_.now;
    connection.sent_before_block = connection.sent_at_last_look = sent;
  } else if (sent != connection.sent_at_last_look) {
    connection.read_last = moment_.now;
    connection.sent_at_last_look = sent;
  }
  deadlines_.set(connection,
                 http::pace_deadline(limits_.read_pace, connection.blocked_since,
                                     connection.read_last, sent - connection.sent_before_block));
}

void Reactor::wait_for_edge(Connection& connection) {
  net::TimePoint until = connection.exchange.deadline();
  if (connection.exchange.is_idle()) {
    until =
        std::min(until, moment_.now + (is_draining() ? patience_with(connection) : time_to_rest));
  }
  deadlines_.set(connection, until);
}

void Reactor::expire(Connection& connection) {
  if (connection.owner.is_with_worker()) {
    return deadlines_.set(connection,
                          moment_.now + (is_draining() ? limits_.drain_idle : time_to_rest));
  }
  if (connection.is_lingering || connection.is_blocked) return close(connection);
  if (std::exchange(connection.waits_for_worker, false)) {
    // A worker who has it says nothing when it gives it back.
    deadlines_.set(connection, moment_.now + (is_draining() ? limits_.drain_idle : time_to_rest));
    return serve(connection);
  }
  if (is_draining() && connection.exchange.is_idle()) return end_idle(connection);
  connection.exchange.rest();
  if (moment_.now < connection.exchange.deadline()) {
    return deadlines_.set(connection, connection.exchange.deadline());
  }
  try {
    connection.exchange.expire(moment_);
  } catch (const std::exception&) {
    counters_.failed.add();  // no memory to say so
    return close(connection);
  }
  serve(connection);
}

// A request that has come since the last look is answered. Otherwise the peer hears the end at
// once, so that it does not send another one to nobody.
void Reactor::end_idle(Connection& connection) {
  if (!has_nothing_to_read(connection.stream.socket())) {
    connection.is_readable = true;
    return serve(connection);
  }
  connection.stream.shut_down();
  close(connection);
}

// A socket that is closed while something is unread resets the connection, and the peer may never
// read our last words.
void Reactor::linger(Connection& connection) {
  if (connection.exchange.must_reset()) return close(connection);
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

void Reactor::close(Connection& connection) noexcept {
  if (connection.is_closed) return;
  end_honestly(connection.stream, connection.exchange);
  deadlines_.cancel(connection);
  if (connection.previous != nullptr) connection.previous->next = connection.next;
  if (connection.next != nullptr) connection.next->previous = connection.previous;
  if (first_ == &connection) first_ = connection.next;
  peers_.leave(connection.peer.network);
  counters_.open.take_off();
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, connection.stream.socket(), nullptr);
  connection.is_closed = true;
  connection.next_posted = std::exchange(closed_, &connection);
}

}  // namespace weft::serve
