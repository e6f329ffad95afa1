// SPDX-License-Identifier: Apache-2.0
// How long the reactor waits for whom.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <utility>

#include "serve/clock.h"
#include "serve/output.h"
#include "serve/reactor.h"

namespace weft::serve {
namespace {

// An idle connection keeps its memory for so long: the next request often comes at once.
constexpr std::chrono::milliseconds time_to_rest{1000};

}  // namespace

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

void Reactor::drain_now() {
  const net::TimePoint now = std::chrono::steady_clock::now();
  moment_ = thread_moment();
  lets_go_at_ = now + limits_.drain_accepting;
  for (Connection* each = first_; each != nullptr; each = each->next) {
    // Whoever answers may have looked already, so it is looked at again.
    const bool is_with_worker = each->owner.is_with_worker();
    if (!is_with_worker) each->exchange.close_soon();
    if (is_with_worker) {
      deadlines_.set(*each, now + limits_.drain_idle);
    } else if (const auto patience = patience_with(*each); patience != patience.max()) {
      deadlines_.set(*each, std::min(now + patience, each->exchange.deadline()));
    }
  }
}

std::chrono::milliseconds Reactor::patience_with(const Connection& connection) const noexcept {
  if (!connection.exchange.is_idle()) return std::chrono::milliseconds::max();
  return connection.stream.is_shaking_hands() ? limits_.drain_handshake : limits_.drain_idle;
}

}  // namespace weft::serve
