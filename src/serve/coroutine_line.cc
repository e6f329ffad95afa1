// SPDX-License-Identifier: Apache-2.0
// Read, answer, write, and wait in between, without a thread that waits.
#include "serve/coroutine_line.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <cerrno>
#include <exception>
#include <utility>

#include "serve/clock.h"
#include "serve/output.h"

namespace weft::serve {
namespace {

using std::chrono::steady_clock;

// Steps in a row, before other connections of the loop have a turn.
constexpr int most_turns = 64;
constexpr int most_pieces_thrown_away = 16;

}  // namespace

CoroutineLine::CoroutineLine(CoroutineHouse& house, const LoopExecutor& executor,
                             os::Descriptor socket, Guest guest)
    : house_(house),
      guest_(std::move(guest)),
      stream_(house.tls.open(std::move(socket))),
      watch_(house.hang_ups, stream_.socket(), handler_),
      exchange_(house.limits.session, steady_clock::now(), &house.site, &house.memory,
                &house.counters),
      readiness_(executor),
      alarm_(executor) {
  exchange_.log_to(house.log, guest_.peer().host, stream_.is_encrypted());
  readiness_.assign(stream_.socket());
}

CoroutineLine::~CoroutineLine() {
  end_honestly(stream_, exchange_);
  readiness_.release();  // the stream closes it
}

Task<void> CoroutineLine::converse() {
  for (int turns = most_turns;; --turns) {
    if (turns == 0) {
      co_await give_way();
      turns = most_turns;
    }
    const Step step = exchange_.advance(thread_moment());
    if (step == Step::request) {
      co_await answer();
      continue;
    }
    if (step == Step::work) {
      co_await go_on();
      continue;
    }
    if (exchange_.has_output() && !co_await flush()) co_return;
    if (step == Step::close) co_return co_await linger();
    if (step == Step::read && !co_await read()) co_return;
  }
}

Task<void> CoroutineLine::give_way() {
  co_await asio::post(alarm_.get_executor(), awaited);
}

Task<bool> CoroutineLine::flush() {
  const auto began = steady_clock::now();
  const std::uint64_t sent_before = exchange_.sent_bytes();
  auto last_read = began;
  for (std::uint64_t sent = sent_before;;) {
    const long result = send_output(stream_, exchange_);
    if (result == 0) co_return true;
    if (result == -EINPROGRESS) {
      co_await give_way();
      continue;
    }
    if (result != -EAGAIN) co_return false;
    if (sent != exchange_.sent_bytes()) last_read = steady_clock::now();
    sent = exchange_.sent_bytes();
    const auto until =
        http::pace_deadline(house_.limits.read_pace, began, last_read, sent - sent_before);
    if (!co_await wait(stream_.waits_to_write(), until)) co_return false;
  }
}

Task<bool> CoroutineLine::read() {
  for (;;) {
    if (!is_drained_) {
      const std::span<char> room = exchange_.room();
      const long bytes = stream_.read(room);
      if (bytes > 0) {
        exchange_.commit(static_cast<std::size_t>(bytes));
        // Less than there was room for: to wait tells whether there is more.
        is_drained_ = !stream_.is_encrypted() && static_cast<std::size_t>(bytes) < room.size();
        co_return true;
      }
      if (bytes == 0) exchange_.end_of_input(thread_moment());
      if (bytes != -EAGAIN) co_return bytes == 0;
    }
    http::TimePoint until = exchange_.deadline();
    if (is_draining()) {
      exchange_.close_soon();
      if (exchange_.is_idle()) until = std::min(until, steady_clock::now() + patience());
    }
    const bool waits_to_write = !std::exchange(is_drained_, false) && stream_.waits_to_write();
    if (co_await wait(waits_to_write, until)) continue;
    if (is_abandoned()) co_return false;
    if (is_draining() && exchange_.is_idle()) {
      if (!has_nothing_to_read(stream_.socket())) continue;  // it has come since
      stream_.shut_down();
      co_return false;
    }
    exchange_.expire(thread_moment());
    co_return true;
  }
}

Task<bool> CoroutineLine::wait(bool to_write, http::TimePoint until) {
  if (is_abandoned()) co_return false;
  until_ = until;
  set_alarm();
  const auto what = to_write ? Readiness::wait_write : Readiness::wait_read;
  boost::system::error_code error;
  co_await readiness_.async_wait(what, asio::redirect_error(awaited, error));
  until_ = http::TimePoint::max();
  co_return !error;
}

// Deadlines nearly always move later, before they come: the timer is set for the first of them, and
// set again when it rings too early.
void CoroutineLine::set_alarm() {
  if (rings_ <= until_) return;
  rings_ = until_;
  alarm_.expires_at(rings_);
  alarm_.async_wait([weak = weak_from_this(), at = rings_](const boost::system::error_code& error) {
    const auto self = error ? nullptr : weak.lock();
    if (self != nullptr) self->alarm_rang(at);
  });
}

void CoroutineLine::alarm_rang(http::TimePoint at) {
  if (at != rings_) return;  // it had begun to ring when it was set anew
  rings_ = http::TimePoint::max();
  try {
    if (until_ > steady_clock::now()) return set_alarm();
  } catch (const std::exception&) {
    // No memory: who waits for it sets it again, or ends.
  }
  readiness_.cancel();
}

// A socket that is closed while something is unread resets the connection, and the peer may never
// read our last words.
Task<void> CoroutineLine::linger() {
  if (exchange_.must_reset()) co_return;
  stream_.shut_down();
  const auto until = steady_clock::now() + house_.limits.linger;
  std::array<char, 4096> nowhere;
  for (int i = 0; i < most_pieces_thrown_away;) {
    const ssize_t bytes = ::recv(stream_.socket(), nowhere.data(), nowhere.size(), MSG_DONTWAIT);
    if (bytes > 0) ++i;
    if (bytes == 0 || (bytes < 0 && errno != EAGAIN)) co_return;
    if (bytes < 0 && !co_await wait(false, until)) co_return;
  }
}

void CoroutineLine::begin_drain() {
  if (is_elsewhere_) return;  // it is looked at again when there is a response
  exchange_.close_soon();
  if (!exchange_.is_idle() || until_ == http::TimePoint::max()) return;
  until_ = std::min(until_, steady_clock::now() + patience());
  try {
    set_alarm();
  } catch (const std::exception&) {
    readiness_.cancel();  // no memory: who waits sets it again, or ends
  }
}

void CoroutineLine::abandon() {
  handler_->tell(CancelReason::shutdown);
  readiness_.cancel();
  alarm_.cancel();
}

}  // namespace weft::serve
