// SPDX-License-Identifier: Apache-2.0
// As fast as answers come, with one look at the clock for each.
#include "load/closed_loop.h"

#include <algorithm>

namespace weft::load {
namespace {

// Time-outs are looked for so often, and failed connections opened anew: a server that refuses is
// not to be stormed.
constexpr nanoseconds tick = std::chrono::milliseconds{10};
constexpr std::size_t most_choices = 4096;

}  // namespace

void Tally::add(const Tally& other) {
  served.add(other.served);
  rejected.add(other.rejected);
  connect.add(other.connect);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  for (std::size_t i = 0; i < statuses.size(); ++i) statuses[i] += other.statuses[i];
}

ClosedLoop::ClosedLoop(const Plan& plan, const Targets& targets, unsigned connections,
                       std::uint64_t requests, std::uint64_t seed, Wire wire,
                       SharedProgress& progress)
    : plan_(plan),
      targets_(targets),
      most_requests_(requests),
      wire_(std::move(wire)),
      progress_(progress),
      choices_(choose_requests(plan.requests, plan.requests.size() < 2 ? 1 : most_choices, seed)),
      missing_(connections) {}

void ClosedLoop::run(SteadyClock::time_point origin) {
  wire_.start(*this, origin);
  nanoseconds next_tick = wire_.now();
  while (true) {
    const nanoseconds now = wire_.now();
    if (now >= next_tick) {
      next_tick = now + tick;
      time_out(now);
      if (now >= plan_.closed->duration || progress_.stop.load(std::memory_order_relaxed)) return;
      if (may_ask()) {
        for (unsigned left = std::exchange(missing_, 0); left != 0; --left) open_new();
      }
    }
    if (most_requests_ != 0 && answered_ >= most_requests_) return;
    wire_.poll(next_tick - now);
    ask_again();
  }
}

// What came together was read together: receiving and sending each stay in the caches, and the
// server is woken once for many requests.
void ClosedLoop::ask_again() {
  for (Connection* const connection : answered_connections_) {
    if (connection->state == Connection::State::idle) ask(*connection);
  }
  answered_connections_.clear();
}

bool ClosedLoop::may_ask() const {
  return most_requests_ == 0 || asked_ < most_requests_;
}

std::size_t ClosedLoop::choose() {
  if (next_choice_ == choices_.size()) next_choice_ = 0;
  return choices_[next_choice_++];
}

void ClosedLoop::open_new() {
  if (!may_ask()) return;
  const std::size_t request = choose();
  Connection& connection = wire_.open(targets_.requests[request].endpoint);
  if (std::find(asking_.begin(), asking_.end(), &connection) == asking_.end()) {
    asking_.push_back(&connection);
  }
  ++asked_;
  wire_.send(connection, targets_.requests[request], request);
}

void ClosedLoop::ask(Connection& connection) {
  if (!may_ask()) return;
  std::size_t request = choose();
  // A connection goes to one server: the others of the mix are asked by those that go there.
  for (std::size_t i = 0; targets_.requests[request].endpoint != connection.endpoint; ++i) {
    if (i > choices_.size()) return;
    request = choose();
  }
  ++asked_;
  wire_.send(connection, targets_.requests[request], request);
}

void ClosedLoop::ended(Connection& connection, const Exchange& exchange) {
  ++answered_;
  last_end_ = exchange.end;
  ++tally_.counts[static_cast<std::size_t>(exchange.outcome)];
  if (exchange.status < tally_.statuses.size() && exchange.status != 0) {
    ++tally_.statuses[exchange.status];
  }
  // Connecting is part of what the first request on a connection takes.
  const nanoseconds begun = exchange.sent - exchange.connect;
  if (is_answered(exchange.outcome)) {
    auto& row = is_served(exchange.outcome) ? tally_.served : tally_.rejected;
    row.record(exchange.end - begun);
  } else {
    tally_.served.record(plan_.timeout);
  }
  if (exchange.connect != nanoseconds{0}) tally_.connect.record(exchange.connect);
  if (plan_.keeps_samples) {
    const nanoseconds start = exchange.sent != nanoseconds{0} ? begun : exchange.end;
    samples_.push_back({start, start, exchange.sent, exchange.first_byte, exchange.end,
                        exchange.connect, exchange.status, 0,
                        static_cast<std::uint16_t>(connection.tag), exchange.outcome});
  }
  progress_.ended.fetch_add(1, std::memory_order_relaxed);
  if (exchange.outcome != Outcome::good) progress_.failed.fetch_add(1, std::memory_order_relaxed);
  if (plan_.new_connection_each) wire_.abandon(connection);
  if (connection.state == Connection::State::idle) {
    answered_connections_.push_back(&connection);
    return;
  }
  // A server that ends connections in good order gets the next at once.
  if (is_answered(exchange.outcome)) return open_new();
  ++missing_;
}

void ClosedLoop::lost(Connection&) {
  ++missing_;
}

void ClosedLoop::time_out(nanoseconds now) {
  for (Connection* const connection : asking_) {
    if (connection->request == nullptr) continue;
    const nanoseconds since =
        connection->sent != nanoseconds{0} ? connection->sent : connection->connect_begin;
    if (now - since < plan_.timeout) continue;
    const Exchange exchange{Outcome::timeout,       0,  connection->connect, connection->sent,
                            connection->first_byte, now};
    wire_.abandon(*connection);
    ended(*connection, exchange);
  }
}

}  // namespace weft::load
