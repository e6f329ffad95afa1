// SPDX-License-Identifier: Apache-2.0
// The loops of a server of coroutines: who accepts, and how it ends.
#include "serve/coroutines.h"

#include <pthread.h>
#include <weft/budget.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <cerrno>
#include <deque>
#include <exception>
#include <thread>
#include <unordered_set>
#include <utility>

#include "net/listener.h"
#include "os/broken_pipe.h"
#include "serve/coroutine_line.h"
#include "serve/guests.h"
#include "serve/line_count.h"

namespace weft::serve {
namespace {

using std::chrono::steady_clock;

constexpr int most_accepted = 64;
constexpr int most_of_backlog = 4096;
constexpr auto time_without_accepting = std::chrono::milliseconds{50};
constexpr auto time_between_looks = std::chrono::milliseconds{5};

struct Loop {
  asio::io_context context{1};  // one thread
  asio::executor_work_guard<LoopExecutor> work{context.get_executor()};
  std::deque<Readiness> listeners;
  // The thread's own.
  std::unordered_set<CoroutineLine*> lines;
  std::thread thread;
};

void run(Loop& loop) {
  ::pthread_setname_np(::pthread_self(), "weft-coroutines");
  os::block_broken_pipe();
  for (;;) {
    try {
      loop.context.run();
      return;
    } catch (const std::exception&) {
      // There was no memory for something: that is not done, and the loop goes on.
    }
  }
}

class Coroutines final : public RunningServer {
 public:
  Coroutines(CoroutineOptions options, Site& site, std::vector<os::Descriptor> listeners);
  ~Coroutines() override;

  void use_tls(std::shared_ptr<const net::TlsContext> context) override {
    house_.tls.replace(std::move(context));
  }
  void start() override;
  bool drain(std::chrono::milliseconds grace) override;
  Totals totals() const override {
    Totals totals;
    house_.counters.add_to(totals);
    totals.body_bytes = house_.memory.used_bytes();
    return totals;
  }
  const Pool* workers() const noexcept override { return &house_.pool; }

 private:
  Task<void> accept_from(Loop& loop, Readiness& listener);
  Task<void> accept_some(Loop& loop, Readiness& listener);
  Task<void> accept_rest(Loop& loop, Readiness& listener);
  // False: errno says why. What there is no memory for is refused.
  bool accept_one(Loop& loop, int listener) noexcept;
  void hand_over(Loop& loop, net::Accepted accepted);
  void open(Loop& loop, os::Descriptor socket, Guest guest);
  Task<void> converse(Loop& loop, std::shared_ptr<CoroutineLine> line);
  template <class Function>
  void on_each_loop(Function function);

  CoroutineHouse house_;
  std::vector<os::Descriptor> listeners_;
  std::deque<Loop> loops_;
  atomic<std::size_t> next_loop_{0};

  LineCount lines_;  // those that accept, too
  Guests guests_;
};

Coroutines::Coroutines(CoroutineOptions options, Site& site, std::vector<os::Descriptor> listeners)
    : house_{options.limits,
             site,
             Pool(std::move(options.pool)),
             {},
             BodyMemory(options.limits.all_bodies_bytes, options.limits.retry_after),
             {},
             nullptr,
             false,
             false},
      listeners_(std::move(listeners)),
      loops_(options.threads != 0 ? options.threads : budget::read().cpu.threads),
      guests_(options.limits.connections, options.limits.connections_by_peer, house_.counters,
              lines_) {}

Coroutines::~Coroutines() {
  drain(std::chrono::milliseconds{0});
  house_.abandoned.store(true);
  on_each_loop([](Loop& loop) {
    for (CoroutineLine* const line : loop.lines) line->abandon();
  });
  lines_.wait_until(steady_clock::time_point::max());
  house_.pool.drain();  // a worker may still be on its way out of post()
  for (Loop& loop : loops_) loop.work.reset();
  for (Loop& loop : loops_) {
    if (loop.thread.joinable()) loop.thread.join();
  }
}

void Coroutines::start() {
  house_.log = log();
  for (Loop& loop : loops_) loop.thread = std::thread([&loop] { run(loop); });
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    Loop& loop = loops_[i % loops_.size()];
    Readiness& listener =
        loop.listeners.emplace_back(loop.context.get_executor(), listeners_[i].release());
    lines_.begins();
    asio::co_spawn(loop.context, accept_from(loop, listener), asio::detached);
  }
}

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

template <class Function>
void Coroutines::on_each_loop(Function function) {
  for (Loop& loop : loops_) {
    asio::post(loop.context, [&loop, function] { function(loop); });
  }
}

bool Coroutines::drain(std::chrono::milliseconds grace) {
  const auto begun = steady_clock::now();
  house_.draining.store(true);
  on_each_loop([](Loop& loop) {
    for (Readiness& listener : loop.listeners) {
      boost::system::error_code is_closed;
      listener.cancel(is_closed);
    }
    for (CoroutineLine* const line : loop.lines) line->begin_drain();
  });
  return lines_.wait_until(begun + grace);
}

}  // namespace

std::unique_ptr<RunningServer> make_coroutines(CoroutineOptions options, Site& site,
                                               std::vector<os::Descriptor> listeners) {
  return std::make_unique<Coroutines>(std::move(options), site, std::move(listeners));
}

}  // namespace weft::serve
