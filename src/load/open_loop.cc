// SPDX-License-Identifier: Apache-2.0
// The loop: begin what is due, give up what is too old, handle what has come, wait for the next.
#include "load/open_loop.h"

#include <algorithm>

#include "load/thread_usage.h"

namespace weft::load {
namespace {

// How often it looks whether it is to stop.
constexpr nanoseconds longest_wait = std::chrono::milliseconds{50};
// After so many starts answers are looked at, however late the generator is.
constexpr int most_at_once = 64;
// And after so many answers it looks at the clock: a hundred that come at once would delay a start.
constexpr std::size_t most_before_start = 8;
// So close to a start nothing is looked at any more: to read an answer would delay it.
constexpr nanoseconds time_for_an_answer = std::chrono::microseconds{10};

}  // namespace

OpenLoop::OpenLoop(const Plan& plan, const Targets& targets, const OpenLoopPart& part, Wire wire,
                   std::vector<Sample>& samples, SharedProgress& progress)
    : plan_(plan),
      targets_(targets),
      part_(part),
      wire_(std::move(wire)),
      samples_(samples),
      progress_(progress),
      next_(part.first),
      oldest_(part.first),
      idle_(targets.endpoints.size()),
      line_(targets.endpoints.size()),
      carrier_(samples.size() / part.stride + 1),
      is_under_way_(samples.size() / part.stride + 1) {}

void OpenLoop::get_ready() {
  wire_.start(*this, SteadyClock::now());
  for (unsigned i = 0; i < part_.ready_connections; ++i) {
    ++open_;
    wire_.open(0);
  }
  constexpr nanoseconds patience = std::chrono::seconds{1};
  while (idle_[0].size() < open_ && wire_.now() < patience) {
    wire_.poll(std::chrono::milliseconds{10});
  }
}

void OpenLoop::run(SteadyClock::time_point origin) {
  wire_.start(*this, origin);
  while (next_ < samples_.size() || under_way_ != 0) {
    // What is under way stays unfinished.
    if (progress_.stop.load(std::memory_order_relaxed)) return;
    const nanoseconds now = wire_.now();
    begin_due(now);
    time_out(now);
    wait_until(next_event(now));
  }
}

void OpenLoop::begin_due(nanoseconds now) {
  for (int i = 0; i < most_at_once && next_ < samples_.size(); ++i) {
    if (samples_[next_].intended > now) {
      now = wire_.now();
      if (samples_[next_].intended > now) return;
    }
    begin(next_, wire_.now());
    next_ += part_.stride;
  }
}

void OpenLoop::begin(std::size_t index, nanoseconds now) {
  samples_[index].begun = now;
  is_under_way_[index / part_.stride] = true;
  ++under_way_;
  progress_.begun.fetch_add(1, std::memory_order_relaxed);
  const std::size_t endpoint = request_of(index).endpoint;
  auto& idle = idle_[endpoint];
  if (!idle.empty()) {
    Connection& connection = *idle.back();
    idle.pop_back();
    return put_on(connection, index);
  }
  if (open_ < part_.most_connections) {
    ++open_;
    return put_on(wire_.open(endpoint), index);
  }
  ++waited_for_connection_;
  line_[endpoint].push_back(index);
  // All may be idle at other endpoints: one of those makes room.
  for (auto& others : idle_) {
    if (others.empty()) continue;
    wire_.abandon(*others.back());
    others.pop_back();
    --open_;
    return serve_line(endpoint);
  }
}

void OpenLoop::put_on(Connection& connection, std::size_t index) {
  carrier_[index / part_.stride] = &connection;
  wire_.send(connection, request_of(index), index);
}

// Gives the first in the line a connection, now that there is room for one.
void OpenLoop::serve_line(std::size_t endpoint) {
  auto& line = line_[endpoint];
  while (!line.empty() && open_ < part_.most_connections) {
    const std::size_t index = line.front();
    line.pop_front();
    if (!is_under_way_[index / part_.stride]) continue;  // timed out in the line
    ++open_;
    put_on(wire_.open(endpoint), index);
  }
}

void OpenLoop::ended(Connection& connection, const Exchange& exchange) {
  const std::size_t index = connection.tag;
  Sample& sample = samples_[index];
  sample.connect = exchange.connect;
  sample.sent = exchange.sent;
  sample.first_byte = exchange.first_byte;
  sample.end = exchange.end;
  sample.status = exchange.status;
  finish(index, exchange.outcome);
  if (plan_.new_connection_each) wire_.abandon(connection);
  const std::size_t endpoint = connection.endpoint;
  if (connection.state != Connection::State::idle) {
    --open_;
    for (std::size_t i = 0; i < line_.size(); ++i) serve_line((endpoint + i) % line_.size());
    return;
  }
  auto& line = line_[endpoint];
  while (!line.empty()) {
    const std::size_t waiting = line.front();
    line.pop_front();
    if (is_under_way_[waiting / part_.stride]) return put_on(connection, waiting);
  }
  idle_[endpoint].push_back(&connection);
}

void OpenLoop::lost(Connection& connection) {
  std::erase(idle_[connection.endpoint], &connection);
  --open_;
  serve_line(connection.endpoint);
}

void OpenLoop::connected(Connection& connection) {
  idle_[connection.endpoint].push_back(&connection);
}

void OpenLoop::finish(std::size_t index, Outcome outcome) {
  samples_[index].outcome = outcome;
  is_under_way_[index / part_.stride] = false;
  --under_way_;
  progress_.ended.fetch_add(1, std::memory_order_relaxed);
  if (outcome != Outcome::good) progress_.failed.fetch_add(1, std::memory_order_relaxed);
}

void OpenLoop::time_out(nanoseconds now) {
  for (; oldest_ < next_; oldest_ += part_.stride) {
    if (oldest_ >= samples_.size()) return;
    if (!is_under_way_[oldest_ / part_.stride]) continue;
    Sample& sample = samples_[oldest_];
    if (sample.intended + plan_.timeout > now) return;
    sample.end = sample.intended + plan_.timeout;
    Connection* const carrier = carrier_[oldest_ / part_.stride];
    finish(oldest_, Outcome::timeout);
    if (carrier == nullptr) continue;  // it is in a line
    sample.connect = carrier->connect;
    sample.sent = carrier->sent;
    sample.first_byte = carrier->first_byte;
    // The answer may still come, and would be taken for the next one's.
    const std::size_t endpoint = carrier->endpoint;
    wire_.abandon(*carrier);
    --open_;
    serve_line(endpoint);
  }
}

nanoseconds OpenLoop::next_event(nanoseconds now) const {
  nanoseconds next = now + longest_wait;
  if (next_ < samples_.size()) next = std::min(next, samples_[next_].intended);
  if (under_way_ != 0 && oldest_ < samples_.size()) {
    next = std::min(next, samples_[oldest_].intended + plan_.timeout);
  }
  return next;
}

void OpenLoop::wait_until(nanoseconds next) {
  const nanoseconds left = next - wire_.now();
  const bool is_start = next_ < samples_.size() && samples_[next_].intended == next;
  if (!is_start) {
    wire_.poll(left);
  } else if (!plan_.spins) {
    wire_.poll(left, most_before_start);
  } else {
    spin_until(next);
  }
}

// Looks at the clock and the sockets in turn; only what found nothing to do counts as spinning.
void OpenLoop::spin_until(nanoseconds next) {
  const nanoseconds cpu_before = thread_cpu();
  nanoseconds working{0};
  nanoseconds now = wire_.now();
  while (now < next) {
    const bool has_time = next - now > time_for_an_answer;
    const std::size_t events = has_time ? wire_.poll(nanoseconds{0}, 1) : 0;
    const nanoseconds after = wire_.now();
    if (events != 0) working += after - now;
    now = after;
  }
  spinning_ += std::max(thread_cpu() - cpu_before - working, nanoseconds{0});
}

}  // namespace weft::load
