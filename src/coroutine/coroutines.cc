// SPDX-License-Identifier: Apache-2.0
// Threads for coroutines, as many as the budget has.
#include <weft/budget_watch.h>
#include <weft/coroutines.h>

#include <pthread.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/atomic.h"
#include "os/signal_mask.h"

namespace weft {

namespace asio = boost::asio;

// A thread leaves when it sees, between two pieces of work, that there are more than are wanted.
class Coroutines::Crew {
 public:
  explicit Crew(CoroutinesOptions options)
      : on_exception_(std::move(options.on_exception)),
        work_(asio::make_work_guard(context_)),
        blocking_(std::move(options.blocking)) {
    if (options.threads != 0) {
      resize(options.threads);
      return;
    }
    watch_.emplace();
    subscription_ = watch_->subscribe([this](const budget::Budget& budget) {
      resize(static_cast<std::uint32_t>(budget.sizes.cpu_pool_threads.value));
    });
  }
  ~Crew() { drain(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  asio::any_io_executor executor() noexcept { return context_.get_executor(); }
  Pool& blocking() noexcept { return blocking_; }

  void stop_watching() { subscription_.reset(); }
  void resize(std::uint32_t threads);
  std::uint32_t threads() const noexcept { return wanted_.load(std::memory_order_relaxed); }
  void drain() noexcept;

 private:
  void run();
  bool is_surplus() noexcept;

  const std::function<void(std::exception_ptr)> on_exception_;
  asio::io_context context_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  Pool blocking_;
  std::optional<budget::Watch> watch_;
  budget::Watch::Subscription subscription_;

  atomic<std::uint32_t> wanted_{0};
  atomic<std::uint32_t> running_{0};
  std::mutex mutex_;
  std::vector<std::thread> threads_;  // guarded by mutex_; those that have left among them
  bool is_drained_ = false;           // guarded by mutex_
};

void Coroutines::Crew::resize(std::uint32_t threads) {
  const std::scoped_lock guard(mutex_);
  if (is_drained_) return;
  threads = std::max(threads, 1U);
  wanted_.store(threads, std::memory_order_relaxed);
  const os::SignalMask blocked;  // the threads' from their first moment
  while (running_.load(std::memory_order_relaxed) < threads) {
    running_.fetch_add(1, std::memory_order_relaxed);
    threads_.emplace_back([this] { run(); });
  }
  // Those that wait for work are to look.
  for (std::uint32_t i = threads; i < running_.load(std::memory_order_relaxed); ++i) {
    asio::post(context_, [] {});
  }
}

bool Coroutines::Crew::is_surplus() noexcept {
  std::uint32_t running = running_.load(std::memory_order_relaxed);
  while (running > wanted_.load(std::memory_order_relaxed)) {
    if (running_.compare_exchange_weak(running, running - 1, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void Coroutines::Crew::run() {
  ::pthread_setname_np(::pthread_self(), "weft-coroutine");
  for (;;) {
    try {
      if (context_.run_one() == 0) return;  // nothing is left, and nothing will come
    } catch (...) {
      if (!on_exception_) throw;
      on_exception_(std::current_exception());
    }
    if (is_surplus()) return;
  }
}

void Coroutines::Crew::drain() noexcept {
  subscription_.reset();
  watch_.reset();
  std::vector<std::thread> threads;
  {
    const std::scoped_lock guard(mutex_);
    if (std::exchange(is_drained_, true)) return;
    threads.swap(threads_);
  }
  work_.reset();
  for (std::thread& thread : threads) thread.join();
  blocking_.drain();
}

Coroutines::Coroutines(CoroutinesOptions options)
    : crew_(std::make_unique<Crew>(std::move(options))) {}
Coroutines::~Coroutines() = default;

asio::any_io_executor Coroutines::executor() noexcept {
  return crew_->executor();
}
Pool& Coroutines::blocking() noexcept {
  return crew_->blocking();
}
void Coroutines::resize(std::uint32_t threads) {
  crew_->stop_watching();
  crew_->resize(threads);
}
std::uint32_t Coroutines::threads() const noexcept {
  return crew_->threads();
}
void Coroutines::drain() noexcept {
  crew_->drain();
}

namespace coroutine {

void Pull::operator()() const {
  asio::post(leash->executor,
             [leash = leash] { leash->signal.emit(asio::cancellation_type::terminal); });
}

std::exception_ptr explained(std::exception_ptr thrown, const CancelToken& token) noexcept {
  if (!token.is_cancelled()) return thrown;
  try {
    std::rethrow_exception(thrown);
  } catch (const boost::system::system_error& error) {
    if (error.code() == asio::error::operation_aborted) {
      return std::make_exception_ptr(Cancelled(token.reason()));
    }
  } catch (...) {
    return thrown;
  }
  return thrown;
}

}  // namespace coroutine

asio::awaitable<void> sleep_until(std::chrono::steady_clock::time_point deadline) {
  asio::steady_timer timer(co_await asio::this_coro::executor, deadline);
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> sleep_for(std::chrono::nanoseconds duration) {
  return sleep_until(std::chrono::steady_clock::now() + duration);
}

}  // namespace weft
