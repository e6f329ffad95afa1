// SPDX-License-Identifier: Apache-2.0
// Whom a server of coroutines lets in, and to which loop each goes.
#include <algorithm>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>

#include "serve/coroutine_server.h"

namespace weft::serve {
namespace {

using std::chrono::steady_clock;

constexpr int most_accepted = 64;
constexpr int most_of_backlog_at_once = 4096;
constexpr auto time_without_accepting = std::chrono::milliseconds{50};
constexpr auto time_between_tries = std::chrono::milliseconds{5};

// A line that its loop knows of.
class LineEntry {
 public:
  LineEntry(Loop& loop, CoroutineLine& line) : loop_(loop), line_(line) {
    loop_.lines.insert(&line_);
  }
  ~LineEntry() { loop_.lines.erase(&line_); }
  LineEntry(const LineEntry&) = delete;
  LineEntry& operator=(const LineEntry&) = delete;

 private:
  Loop& loop_;
  CoroutineLine& line_;
};

}  // namespace

// Its own memory is all that it takes, so it goes on whatever else does not.
void Coroutines::wait_for_guests(Loop& loop, Acceptor& acceptor) {
  acceptor.listener.async_wait(
      Readiness::wait_read,
      asio::bind_allocator(OperationAllocator<std::byte>(acceptor.memory),
                           [this, &loop, &acceptor](const boost::system::error_code&) {
                             accept_from(loop, acceptor);
                           }));
}

void Coroutines::accept_from(Loop& loop, Acceptor& acceptor) noexcept {
  for (;;) {
    const bool is_draining = house_.draining.load();
    const int most = is_draining ? most_of_backlog_at_once : most_accepted;
    int accepted = 0;
    while (accepted < most && accept_one(loop, acceptor.listener.native_handle())) ++accepted;
    const bool may_go_on = accepted == most || errno == EAGAIN || errno == ECONNABORTED;
    if (!is_draining && may_go_on) return wait_for_guests(loop, acceptor);
    // What has been accepted by the kernel is ours to answer; who connects now goes elsewhere.
    const auto now = steady_clock::now();
    if (is_draining) acceptor.ends = std::min(acceptor.ends, now + house_.limits.drain_accepting);
    if (acceptor.ends <= now) break;
    // Or no numbers are left.
    if (pause_accepting(loop, acceptor,
                        is_draining ? time_between_tries : time_without_accepting)) {
      return;
    }
    std::this_thread::sleep_for(time_between_tries);  // whatever waits here has no memory either
  }
  boost::system::error_code error;
  acceptor.listener.close(error);
  lines_.ends();
}

bool Coroutines::pause_accepting(Loop& loop, Acceptor& acceptor,
                                 std::chrono::milliseconds time) noexcept try {
  acceptor.pause.expires_after(time);
  acceptor.pause.async_wait(asio::bind_allocator(
      OperationAllocator<std::byte>(acceptor.memory),
      [this, &loop, &acceptor](const boost::system::error_code&) { accept_from(loop, acceptor); }));
  return true;
} catch (const std::exception&) {
  return false;
}

bool Coroutines::accept_one(Loop& loop, int listener) noexcept {
  auto accepted = net::accept_connection(listener);
  if (!accepted) return false;
  try {
    hand_over(loop, std::move(*accepted));
  } catch (const std::exception&) {
    house_.counters.refused.add();  // no memory
  }
  return true;
}

// One after the other: with as many connections each, the loops have about as much to do.
void Coroutines::hand_over(Loop& loop, net::Accepted accepted) {
  auto guest = guests_.enter(accepted.address.peer());
  if (!guest) return house_.counters.refused.add();
  Loop& other = loops_[next_loop_.fetch_add(1, std::memory_order_relaxed) % loops_.size()];
  if (&other == &loop) return open(loop, std::move(accepted.socket), std::move(*guest));
  asio::post(other.context, [this, &other, socket = std::move(accepted.socket),
                             guest = std::move(*guest)]() mutable {
    try {
      open(other, std::move(socket), std::move(guest));
    } catch (const std::exception&) {
      house_.counters.refused.add();  // no memory
    }
  });
}

void Coroutines::open(Loop& loop, os::Descriptor socket, Guest guest) {
  auto line = std::make_shared<CoroutineLine>(house_, loop.context.get_executor(),
                                              std::move(socket), std::move(guest));
  asio::co_spawn(loop.context, converse(loop, std::move(line)), asio::detached);
}

Task<void> Coroutines::converse(Loop& loop, std::shared_ptr<CoroutineLine> line) {
  // Asio destroys a coroutine, and throws nothing into it, where it has no memory for what it
  // awaits.
  const LineEntry entry(loop, *line);
  try {
    co_await line->converse();
  } catch (const std::exception&) {
    house_.counters.failed.add();  // no memory
  }
}

}  // namespace weft::serve
