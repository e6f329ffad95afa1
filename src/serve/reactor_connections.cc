// SPDX-License-Identifier: Apache-2.0
// What the reactor does with its connections.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <exception>
#include <span>
#include <utility>

#include "serve/answering.h"
#include "serve/output.h"
#include "serve/reactor.h"

namespace weft::serve {
namespace {

// Requests and reads in a row, before other connections have a turn.
constexpr int most_turns = 64;

}  // namespace

bool Reactor::hear(Connection& connection) noexcept {
  if (connection.is_closed) return false;
  if (connection.is_lingering || connection.exchange.has_output()) return true;
  try {
    return hear_request(connection);
  } catch (...) {
    counters_.failed.add();
    close(connection);
    return false;
  }
}

bool Reactor::hear_request(Connection& connection) {
  const bool waits = connection.exchange.wants_only_to_wait();  // as most do: nothing to advance
  Step step = waits ? Step::read : connection.exchange.advance(moment_);
  if (step == Step::read) {
    if (!read(connection)) return false;
    step = connection.exchange.advance(moment_);
  }
  return step != Step::request || answer(connection);
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
  std::exception_ptr thrown;
  bool is_answered = true;
  at_once_.reset();  // of what was thrown in the midst of
  try {
    is_answered = site_.answer_at_once(connection.request(), at_once_);
  } catch (...) {
    thrown = std::current_exception();
  }
  const Admission admission = is_answered ? Admission() : admit(connection);
  if (!admission.admitted()) ++refused_in_round_;
  if (!is_answered && admission.admitted()) {
    connection.is_blocked = false;
    connection.owner.give_to_worker();
    is_submitted = pool_.try_submit(connection) == Submitted::accepted;
    if (is_submitted) return false;  // it is not ours any more
    connection.owner.take_back();
    connection.ticket = {};
  }
  if (is_answered && thrown == nullptr) {
    ++at_once_in_round_;
    if (Counters::is_timed(at_once_.status())) ++timed_in_round_;
    respond(connection.exchange, counters_, is_draining(), at_once_, moment_);
    at_once_.reset();  // it may hold a file, or whatever the handler gave
    return true;
  }
  respond_with(connection.exchange, counters_, is_draining(), [&](Response& response) {
    if (thrown != nullptr) std::rethrow_exception(thrown);
    admission.admitted() ? refuse_for_load(response) : refuse(response, admission);
  });
  return true;
}

Admission Reactor::admit(Connection& connection) {
  if (limits_.admission == nullptr) return {};
  auto answer = limits_.admission->admit(site_.priority_of(connection.exchange.head()));
  connection.ticket = std::move(answer.ticket);
  return answer.admission;
}

void Reactor::refuse(Response& response, const Admission& admission) {
  serve::refuse_for_load(response, counters_,
                         std::chrono::ceil<std::chrono::seconds>(admission.retry_after),
                         admission.refusal);
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
