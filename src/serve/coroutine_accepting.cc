// SPDX-License-Identifier: Apache-2.0
// Whom a server of coroutines lets in, and to which loop each goes.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <cerrno>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "serve/coroutine_server.h"

namespace weft::serve {
namespace {

using std::chrono::steady_clock;

constexpr int most_accepted = 64;
constexpr int most_of_backlog = 4096;
constexpr auto time_without_accepting = std::chrono::milliseconds{50};
constexpr auto time_between_looks = std::chrono::milliseconds{5};

}  // namespace

// Whoever has no memory to wait with has none to do anything else: the thread waits.
Task<void> Coroutines::accept_from(Loop& loop, Readiness& listener) {
  while (!house_.draining.load()) {
    try {
      co_await accept_some(loop, listener);
    } catch (const std::exception&) {
      std::this_thread::sleep_for(time_between_looks);
    }
  }
  try {
    co_await accept_rest(loop, listener);
  } catch (const std::exception&) {
    house_.counters.failed.add();
  }
  boost::system::error_code error;
  listener.close(error);
  lines_.ends();
}

Task<void> Coroutines::accept_some(Loop& loop, Readiness& listener) {
  boost::system::error_code error;
  co_await listener.async_wait(Readiness::wait_read, asio::redirect_error(awaited, error));
  int accepted = 0;
  while (accepted < most_accepted && accept_one(loop, listener.native_handle())) ++accepted;
  if (accepted == most_accepted || errno == EAGAIN || errno == ECONNABORTED) co_return;
  LoopTimer pause(loop.context.get_executor(), time_without_accepting);
  co_await pause.async_wait(asio::redirect_error(awaited, error));  // no numbers are left
}

// What has been accepted by the kernel is ours to answer; who connects now goes elsewhere.
Task<void> Coroutines::accept_rest(Loop& loop, Readiness& listener) {
  LoopTimer pause(loop.context.get_executor());
  boost::system::error_code error;
  const auto until = steady_clock::now() + house_.limits.drain_accepting;
  for (;;) {
    for (int i = 0; i < most_of_backlog && accept_one(loop, listener.native_handle()); ++i) {
    }
    if (steady_clock::now() >= until) co_return;
    pause.expires_after(time_between_looks);
    co_await pause.async_wait(asio::redirect_error(awaited, error));
  }
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
  try {
    loop.lines.insert(line.get());
    co_await line->converse();
  } catch (const std::exception&) {
    house_.counters.failed.add();  // no memory
  }
  loop.lines.erase(line.get());
  line.reset();
}

}  // namespace weft::serve
