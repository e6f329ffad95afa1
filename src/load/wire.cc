// SPDX-License-Identifier: Apache-2.0
// Edge-triggered: a connection is registered once, and each handler does all that can be done.
#include "load/wire.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string>
#include <utility>

namespace weft::load {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{64} * 1024;

Outcome outcome_of(Stream::State state) {
  switch (state) {
    case Stream::State::refused:
      return Outcome::refused;
    case Stream::State::reset:
    case Stream::State::closed:
      return Outcome::reset;
    case Stream::State::tls_failed:
      return Outcome::tls_failed;
    case Stream::State::cut:
      return Outcome::cut;
    default:
      return Outcome::no_connection;
  }
}

}  // namespace

Wire::Wire(const Targets& targets, const TlsContext* tls)
    : targets_(&targets), tls_(tls), buffer_(buffer_bytes) {}

base::Result<Wire> Wire::make(const Targets& targets, const TlsContext* tls) {
  Wire wire(targets, tls);
  wire.epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!wire.epoll_.valid()) return os::last_error("create", "an epoll instance");
  return wire;
}

void Wire::start(WireUser& user, SteadyClock::time_point origin) noexcept {
  user_ = &user;
  origin_ = origin;
}

Connection& Wire::open(std::size_t endpoint) {
  if (spare_.empty()) {
    connections_.push_back(std::make_unique<Connection>());
    spare_.push_back(connections_.back().get());
  }
  Connection& connection = *spare_.back();
  spare_.pop_back();
  ++opened_;
  connection.endpoint = endpoint;
  connection.state = Connection::State::connecting;
  connection.request = nullptr;
  connection.connect_begin = now();
  connection.connect = nanoseconds{0};
  const auto state = connection.stream.connect(targets_->endpoints[endpoint], tls_);
  if (state != Stream::State::done && state != Stream::State::pending) {
    fail_later(connection, outcome_of(state));
    return connection;
  }
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = &connection;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection.stream.descriptor(), &event) != 0) {
    fail_later(connection, Outcome::no_connection);
  }
  return connection;
}

void Wire::send(Connection& connection, const PreparedRequest& request, std::size_t tag) {
  connection.request = &request;
  connection.tag = tag;
  connection.written = 0;
  connection.sent = nanoseconds{0};
  connection.first_byte = nanoseconds{0};
  connection.parser.begin(request.is_head);
  if (connection.state == Connection::State::connecting) return;
  connection.state = Connection::State::busy;
  connection.connect = nanoseconds{0};
  write(connection);
}

void Wire::abandon(Connection& connection) {
  if (connection.state == Connection::State::closed) return;
  connection.stream.close();
  connection.is_failing = false;
  connection.state = Connection::State::closed;
  connection.request = nullptr;
  spare_.push_back(&connection);
}

std::size_t Wire::poll(nanoseconds longest, std::size_t most) {
  const std::size_t failures = tell_failures();
  if (failures != 0 || longest < nanoseconds{0}) longest = nanoseconds{0};
  epoll_event events[most_events];
  const int room = static_cast<int>(std::min(most, std::size(events)));
  int count = -1;
  if (has_nanoseconds_) {
    timespec time{};
    time.tv_sec = static_cast<time_t>(longest.count() / 1'000'000'000);
    time.tv_nsec = static_cast<long>(longest.count() % 1'000'000'000);
    count = ::epoll_pwait2(epoll_.get(), events, room, &time, nullptr);
    if (count < 0 && (errno == ENOSYS || errno == EPERM)) has_nanoseconds_ = false;
  }
  if (!has_nanoseconds_) {
    const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(longest).count();
    count = ::epoll_wait(epoll_.get(), events, room, static_cast<int>(milliseconds));
  }
  for (int i = 0; i < count; ++i) {
    const bool peer_closed = (events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    handle(*static_cast<Connection*>(events[i].data.ptr), peer_closed);
  }
  return failures + static_cast<std::size_t>(count > 0 ? count : 0);
}

// An event may be of the descriptor that the connection had before: trying does no harm.
void Wire::handle(Connection& connection, bool peer_closed) {
  switch (connection.state) {
    case Connection::State::closed:
      return;
    case Connection::State::connecting:
      return go_on_connecting(connection);
    case Connection::State::busy:
      if (connection.written < connection.request->bytes.size()) write(connection);
      return read(connection, peer_closed);
    case Connection::State::idle: {
      const auto moved = connection.stream.read(buffer_);
      // TLS has messages of its own, such as tickets, that are no bytes of an answer.
      if (moved.state == Stream::State::pending) return;
      abandon(connection);
      user_->lost(connection);
    }
  }
}

void Wire::go_on_connecting(Connection& connection) {
  const auto state = connection.stream.finish_connect();
  if (state == Stream::State::pending) return;
  if (state != Stream::State::done) return end(connection, outcome_of(state));
  connection.connect = now() - connection.connect_begin;
  if (connection.request == nullptr) {
    connection.state = Connection::State::idle;
    return user_->connected(connection);
  }
  connection.state = Connection::State::busy;
  write(connection);
}

void Wire::write(Connection& connection) {
  if (connection.is_failing) return;
  if (connection.written == 0) connection.sent = now();
  const std::string_view bytes = connection.request->bytes;
  while (connection.written < bytes.size()) {
    const auto moved = connection.stream.write(bytes.substr(connection.written));
    if (moved.state == Stream::State::pending) return;
    if (moved.state != Stream::State::done) return fail_later(connection, outcome_of(moved.state));
    connection.written += moved.bytes;
  }
}

void Wire::read(Connection& connection, bool peer_closed) {
  while (connection.state == Connection::State::busy) {
    const auto moved = connection.stream.read(buffer_);
    if (moved.state == Stream::State::done) {
      if (feed(connection, moved.bytes)) return;
      // A read that fills less than there is room for has emptied the socket; more is another
      // event.
      const bool is_empty = !connection.stream.is_secure() && moved.bytes < buffer_.size();
      if (is_empty && !peer_closed) return;
      continue;
    }
    if (moved.state == Stream::State::pending) return;
    const bool has_begun = connection.parser.has_begun();
    if (moved.state == Stream::State::closed &&
        connection.parser.close() == ResponseParser::State::complete) {
      return end(connection, outcome_of_status(connection.parser.status()));
    }
    const bool is_cut = moved.state == Stream::State::closed || moved.state == Stream::State::cut;
    return end(connection, is_cut && has_begun ? Outcome::cut : Outcome::reset);
  }
}

// Whether the answer has ended with these bytes.
bool Wire::feed(Connection& connection, std::size_t bytes) {
  if (connection.first_byte == nanoseconds{0}) connection.first_byte = now();
  std::string_view rest(buffer_.data(), bytes);
  const auto state = connection.parser.feed(rest);
  if (state == ResponseParser::State::incomplete) return false;
  // Bytes behind the answer were not asked for, and the next answer would begin with them.
  const bool is_whole = state == ResponseParser::State::complete && rest.empty();
  end(connection, is_whole ? outcome_of_status(connection.parser.status()) : Outcome::malformed);
  return true;
}

void Wire::end(Connection& connection, Outcome outcome) {
  const bool had_request = connection.request != nullptr;
  const Exchange exchange{outcome,
                          static_cast<std::uint16_t>(connection.parser.status()),
                          connection.connect,
                          connection.sent,
                          connection.first_byte,
                          now()};
  const bool stays = had_request && is_answered(outcome) && connection.parser.keeps_connection() &&
                     connection.written == connection.request->bytes.size();
  connection.request = nullptr;
  if (stays) {
    connection.state = Connection::State::idle;
  } else {
    abandon(connection);
  }
  if (had_request) {
    user_->ended(connection, exchange);
  } else {
    user_->lost(connection);
  }
}

void Wire::fail_later(Connection& connection, Outcome outcome) {
  connection.is_failing = true;
  failures_.push_back({&connection, outcome});
}

std::size_t Wire::tell_failures() {
  const auto failures = std::exchange(failures_, {});
  for (const Failure& failure : failures) {
    Connection& connection = *failure.connection;
    if (!std::exchange(connection.is_failing, false)) continue;  // it has ended meanwhile
    // A server may answer and close before it has the whole request: look before giving up.
    const bool is_connected = connection.state == Connection::State::busy;
    if (is_connected) read(connection, true);
    if (!is_connected || connection.state == Connection::State::busy) {
      end(connection, failure.outcome);
    }
  }
  return failures.size();
}

}  // namespace weft::load
