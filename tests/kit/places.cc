// SPDX-License-Identifier: Apache-2.0
// How each kind of work waits.
#include "tests/kit/places.h"

#include <weft/bounded_queue.h>
#include <weft/cancel_wait.h>
#include <weft/coroutine_sync.h>
#include <weft/coroutines.h>
#include <weft/fiber_sync.h>
#include <weft/pool.h>
#include <weft/sql_pool.h>

#include <condition_variable>
#include <deque>
#include <latch>
#include <mutex>

#include "tests/kit/fiber_keeper.h"

namespace weft::kit {
namespace {

namespace asio = boost::asio;

// Blocks the thread; the token tells when to give up.
template <class Mutex, class Condition>
void wait_blocked(const CancelToken& token) {
  Mutex mutex;
  Condition never;
  std::unique_lock lock(mutex);
  wait_until(never, lock, token, Clock::now() + whole_wait, [] { return false; });
}

CancelReason reason_of(const std::exception_ptr& thrown) {
  try {
    if (thrown != nullptr) std::rethrow_exception(thrown);
  } catch (const Cancelled& cancelled) {
    return cancelled.reason();
  } catch (...) {  // something else is no stop
  }
  return CancelReason::none;
}

template <class Wait>
void run_blocking(const Request& request, Wait wait_there) {
  request.waits();
  wait_there(request.token);
  request.stopped({request.token.reason(), Clock::now()});
}

// Many on one thread would wait for each other's turn to begin.
PoolOptions wide() {
  return {.policy = Policy::fixed, .minimum = 32};
}

}  // namespace

struct Places::Parts {
  Pool pool{wide()};
  BoundedQueue<int> empty{1};
  std::latch end{1};
  Pool full{{.policy = Policy::fixed, .minimum = 1, .capacity = 1}};
  FiberKeeper fibers{{.workers = 2}};
  AsyncMutex mutex;
  Channel<int> channel{1};
  Coroutines coroutines{{.threads = 2, .blocking = wide()}};
  std::optional<AsyncMutex::Lock> held;
  std::deque<sql::ConnectionPool> databases;
  std::optional<sql::ConnectionPool::Lease> lease;
};

Places::Places() : parts_(std::make_unique<Parts>()) {
  add_threads();
  add_fibers();
  add_coroutines();
  add_database("SQLite, a statement", sql::Url::parse("sqlite::memory:"),
               "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < "
               "1000000000000) SELECT max(n) FROM c");
  sql::ConnectionPool& only = parts_->databases.emplace_back(sql::Url::parse("sqlite::memory:"));
  parts_->lease.emplace(only.lease());
  all_.push_back({"database pool, a lease", [this, &only](Request request) {
                    parts_->pool.submit([&only, request = std::move(request)] {
                      const auto guard = set_cancellation(request.token);
                      std::exception_ptr thrown;
                      request.waits();
                      try {
                        const auto lease = only.lease();
                      } catch (...) {
                        thrown = std::current_exception();
                      }
                      request.stopped({reason_of(thrown), Clock::now()});
                    });
                  }});
}

Places::~Places() {
  parts_->pool.drain();
  parts_->end.count_down();
  parts_->coroutines.drain();
}

void Places::clear_up() {
  parts_->fibers.join(256);
}

void Places::add_threads() {
  all_.push_back({"pool, a condition", [this](Request request) {
                    parts_->pool.submit([request = std::move(request)] {
                      run_blocking(request, wait_blocked<std::mutex, std::condition_variable>);
                    });
                  }});
  all_.push_back({"pool, an empty queue", [this](Request request) {
                    parts_->pool.submit([this, request = std::move(request)] {
                      run_blocking(request, [&](auto& token) { parts_->empty.pop(token); });
                    });
                  }});
  parts_->full.submit([this] { parts_->end.wait(); });
  while (parts_->full.counters().busy == 0) std::this_thread::yield();
  parts_->full.submit([] {});
  all_.push_back({"pool, a full pool", [this](Request request) {
                    parts_->pool.submit([this, request = std::move(request)] {
                      run_blocking(request,
                                   [&](auto& token) { parts_->full.submit([] {}, token); });
                    });
                  }});
}

void Places::add_fibers() {
  all_.push_back({"fiber, a sleep", [this](Request request) {
                    parts_->fibers.spawn([request = std::move(request)] {
                      run_blocking(request,
                                   [](auto& token) { this_fiber::sleep_for(whole_wait, token); });
                    });
                  }});
  all_.push_back({"fiber, a condition", [this](Request request) {
                    parts_->fibers.spawn([request = std::move(request)] {
                      run_blocking(request, wait_blocked<FiberMutex, FiberCondition>);
                    });
                  }});
}

void Places::add_coroutines() {
  parts_->held = parts_->mutex.try_lock();
  using Body = std::function<asio::awaitable<void>()>;
  const auto add = [this](std::string name, Body body) {
    const auto say_and_wait = [](std::function<void()> waits, Body own) -> asio::awaitable<void> {
      waits();
      co_await own();
    };
    all_.push_back({std::move(name), [this, body = std::move(body), say_and_wait](Request request) {
                      spawn(parts_->coroutines.executor(), say_and_wait(request.waits, body),
                            request.token, [stopped = request.stopped](std::exception_ptr thrown) {
                              stopped({reason_of(thrown), Clock::now()});
                            });
                    }});
  };
  add("coroutine, a sleep", [] { return sleep_for(whole_wait); });
  add("coroutine, a mutex", [this]() -> asio::awaitable<void> {
    const AsyncMutex::Lock lock = co_await parts_->mutex.lock();
  });
  add("coroutine, a channel",
      [this]() -> asio::awaitable<void> { co_await parts_->channel.receive(); });
  add("coroutine, a call on a pool", [this] {
    return offload(parts_->coroutines.blocking(), [] {
      wait_blocked<std::mutex, std::condition_variable>(cancellation());
      cancellation().check();
    });
  });
}

void Places::add_database(const std::string& name, const sql::Url& url,
                          const std::string& statement) {
  sql::ConnectionPool& database =
      parts_->databases.emplace_back(url, sql::ConnectionPoolOptions{.size = 2});
  all_.push_back({name, [this, &database, statement](Request request) {
                    parts_->pool.submit([&database, statement, request = std::move(request)] {
                      std::exception_ptr thrown;
                      try {
                        const auto guard = set_cancellation(request.token);
                        const auto lease = database.lease();
                        request.waits();
                        lease->execute(statement);
                      } catch (...) {
                        thrown = std::current_exception();
                      }
                      request.stopped({reason_of(thrown), Clock::now()});
                    });
                  }});
}

}  // namespace weft::kit
