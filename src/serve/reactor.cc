// SPDX-License-Identifier: Apache-2.0
// The reactor's thread: waits, takes what was posted, and ends.
#include "serve/reactor.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "os/broken_pipe.h"
#include "os/check.h"
#include "serve/clock.h"
#include "serve/epoll_watch.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_events = 256;
// So many are heard before they are answered: what receives and what sends each stay in the caches
// for a while, and so do the connections; a peer with many of them is woken once for many answers.
constexpr std::size_t most_heard = 32;

// What an event is about: a connection's address, or a number that is none.
constexpr std::uint64_t wake_tag = 1;
constexpr std::uint64_t first_listener_tag = 2;
constexpr std::uint64_t most_listeners = 64;

constexpr auto time_between_looks_at_the_end = std::chrono::milliseconds{20};
// While requests are refused: what is served takes longer than that, as else they would not be.
constexpr auto time_between_refusals = std::chrono::microseconds{500};

}  // namespace

Reactor::Reactor(const ReactorLimits& limits, Site& site, Pool& pool, BodyMemory& memory,
                 const std::vector<os::Descriptor>& listeners, const TlsSource& tls)
    : limits_(limits),
      site_(site),
      pool_(pool),
      memory_(memory),
      listeners_(listeners),
      tls_(tls),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wakes_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      spare_(::fcntl(wakes_.get(), F_DUPFD_CLOEXEC, 0)),
      deadlines_(std::chrono::steady_clock::now()),
      peers_(limits.connections_by_peer) {
  os::check(epoll_.valid() && wakes_.valid(), "weft: no descriptor left; raise `ulimit -n`");
  os::check(listeners.size() <= most_listeners, "weft: more than 64 sockets to listen on");
  os::check(watch(epoll_, wakes_.get(), EPOLLIN | EPOLLET, wake_tag) && watch_listeners(),
            "weft: epoll takes no more descriptors: no memory, or a limit of users");
}

bool Reactor::watch_listeners() noexcept {
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    const std::uint64_t tag = first_listener_tag + i;
    if (!watch(epoll_, listeners_[i].get(), EPOLLIN | EPOLLEXCLUSIVE, tag)) return false;
  }
  return true;
}

void Reactor::pause_listeners() noexcept {
  for (const os::Descriptor& listener : listeners_) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener.get(), nullptr);
  }
}

Reactor::~Reactor() {
  end();
}

void Reactor::start(AccessLog* log) {
  log_ = log;
  thread_ = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), "weft-reactor");
    os::block_broken_pipe();
    run();
  });
}

void Reactor::begin_drain() noexcept {
  draining_.store(true);
  wake();
}

void Reactor::end() noexcept {
  abandoned_.store(true);
  begin_drain();
  if (thread_.joinable()) thread_.join();
}

void Reactor::wake() noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wakes_.get(), &one, sizeof(one)));
}

void Reactor::post(Connection& connection) noexcept {
  Connection* first = posted_.load(std::memory_order_relaxed);
  do {
    connection.next_posted = first;
  } while (!posted_.compare_exchange_weak(first, &connection, std::memory_order_seq_cst));
  // Pairs with the store in wait_and_serve(): either it sees the post, or we see it asleep.
  if (asleep_.load(std::memory_order_seq_cst) && asleep_.exchange(false)) wake();
}

void Reactor::run() {
  bool was_draining = false;
  for (;;) {
    if (is_draining() && !std::exchange(was_draining, true)) drain_now();
    const bool is_abandoned = abandoned_.load(std::memory_order_relaxed);
    for (Connection* each = is_abandoned ? first_ : nullptr; each != nullptr;) {
      Connection& connection = *std::exchange(each, each->next);
      if (connection.owner.take_news()) {
        close(connection);
      } else {
        connection.handler.tell(CancelReason::shutdown);
      }
    }
    if (was_draining && (is_abandoned || std::chrono::steady_clock::now() >= lets_go_at_)) {
      let_go();
    }
    free_closed();
    if (was_draining && has_let_go() && first_ == nullptr) break;
    wait_and_serve();
  }
  ended_.store(true, std::memory_order_release);
}

// Each that is refused would wake this thread and take the CPU from a request that is served, some
// thousand times a second: while requests are refused, they are heard several at a time.
void Reactor::pause_after_refusals() noexcept {
  if (std::exchange(refused_in_round_, 0) == 0) return;
  std::this_thread::sleep_for(time_between_refusals);
}

void Reactor::wait_and_serve() {
  pause_after_refusals();
  std::array<epoll_event, most_events> events;
  asleep_.store(true, std::memory_order_seq_cst);
  const bool stay_up = posted_.load(std::memory_order_seq_cst) != nullptr || !again_.empty();
  const auto now = std::chrono::steady_clock::now();
  net::TimePoint until = std::min(deadlines_.next_look(), lets_go_at_);
  if (accepts_again_ > now) until = std::min(until, accepts_again_);
  // Who gives a connection back does not always say so.
  if (abandoned_.load(std::memory_order_relaxed))
    until = std::min(until, now + time_between_looks_at_the_end);
  const auto patience = stay_up ? 0ms : net::patience_until(until, now);
  const int count =
      ::epoll_wait(epoll_.get(), events.data(), most_events, static_cast<int>(patience.count()));
  asleep_.store(false, std::memory_order_relaxed);
  moment_ = thread_moment();
  const bool was_paused = accepts_again_ != http::TimePoint::min();
  if (was_paused && accepts_again_ <= moment_.now) {
    accepts_again_ = http::TimePoint::min();
    if (!watch_listeners()) pause_accepting();
  }
  std::vector<Connection*> again = std::exchange(again_, {});
  std::array<Connection*, most_heard> heard;
  std::size_t heard_count = 0;
  const auto serve_heard = [&] {
    for (std::size_t i = 0; i < heard_count; ++i) serve(*heard[i]);
    heard_count = 0;
  };
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    const std::uint64_t tag = event.data.u64;
    if (tag == wake_tag) continue;  // what it is for is looked at anyway
    if (tag < first_listener_tag + most_listeners) {
      accept_some(listeners_[tag - first_listener_tag].get());
      continue;
    }
    auto& connection = *reinterpret_cast<Connection*>(tag);
    const bool has_ended = (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    if (!connection.owner.take_news()) {
      // It can not go meanwhile: the worker has to post it to us.
      if (has_ended) connection.handler.tell(CancelReason::client);
      continue;
    }
    connection.is_readable = true;
    connection.may_have_ended |= has_ended;
    if (connection.is_in_again || !hear(connection)) continue;
    heard[heard_count++] = &connection;
    if (heard_count == most_heard) serve_heard();
  }
  serve_heard();
  take_posted();
  for (Connection* const connection : again) {  // nothing is freed in between
    connection->is_in_again = false;
    if (connection->owner.take_news()) serve(*connection);
  }
  const auto end = std::chrono::steady_clock::now();
  record_round(end);
  deadlines_.expire(
      end, [this](net::Deadline& deadline) { expire(static_cast<Connection&>(deadline)); });
}

// All of a round were asked when it began, and were answered one after another. A clock that is
// read for each would cost one in a hundred of what answering does.
void Reactor::record_round(http::TimePoint now) noexcept {
  if (at_once_in_round_ != 0) counters_.at_once.add(std::exchange(at_once_in_round_, 0));
  const std::uint32_t count = std::exchange(timed_in_round_, 0);
  for (std::uint32_t i = 1; i <= count; ++i) {
    counters_.took.record((now - moment_.now) * i / count);
  }
}

void Reactor::take_posted() {
  Connection* posted = posted_.exchange(nullptr, std::memory_order_acquire);
  while (posted != nullptr) {
    Connection& connection = *std::exchange(posted, posted->next_posted);
    connection.owner.take_back();
    connection.is_readable = true;
    connection.may_have_ended = true;  // what the news were is not known
    serve(connection);
  }
}

void Reactor::free_closed() noexcept {
  std::erase_if(again_, [](const Connection* connection) { return connection->is_closed; });
  while (closed_ != nullptr) delete std::exchange(closed_, closed_->next_posted);
}

}  // namespace weft::serve
