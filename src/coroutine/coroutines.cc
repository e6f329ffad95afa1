// SPDX-License-Identifier: Apache-2.0
// Threads for coroutines, as many as the budget has.
#include <weft/budget_watch.h>
#include <weft/coroutines.h>

#include <pthread.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/channel_error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <list>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

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
  struct Member {
    std::thread thread;
    atomic<bool> has_left{false};
  };
  void run(Member& member);
  void join_left();
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
  std::list<Member> threads_;  // guarded by mutex_; those that have left among them
  bool is_drained_ = false;    // guarded by mutex_
};

void Coroutines::Crew::resize(std::uint32_t threads) {
  const std::scoped_lock guard(mutex_);
  if (is_drained_) return;
  threads = std::max(threads, 1U);
  wanted_.store(threads, std::memory_order_relaxed);
  const os::SignalMask blocked;  // the threads' from their first moment
  join_left();
  while (running_.load(std::memory_order_relaxed) < threads) {
    Member& member = threads_.emplace_back();
    try {
      member.thread = std::thread([this, &member] { run(member); });
    } catch (const std::system_error&) {
      threads_.pop_back();
      if (threads_.empty()) throw;
      break;  // those that there are do the work
    }
    running_.fetch_add(1, std::memory_order_relaxed);
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

void Coroutines::Crew::join_left() {
  std::erase_if(threads_, [](Member& member) {
    if (!member.has_left.load(std::memory_order_acquire)) return false;
    member.thread.join();
    return true;
  });
}

void Coroutines::Crew::run(Member& member) {
  ::pthread_setname_np(::pthread_self(), "weft-coroutine");
  for (;;) {
    try {
      if (context_.run_one() == 0) return;  // nothing is left, and nothing will come
    } catch (...) {
      if (!on_exception_) throw;
      on_exception_(std::current_exception());
    }
    if (is_surplus()) break;
  }
  member.has_left.store(true, std::memory_order_release);
}

void Coroutines::Crew::drain() noexcept {
  subscription_.reset();
  watch_.reset();
  {
    const std::scoped_lock guard(mutex_);
    if (std::exchange(is_drained_, true)) return;
  }
  work_.reset();
  for (Member& member : threads_) member.thread.join();
  threads_.clear();
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

// Each way in which Asio says that something was cancelled: an error, of its channels another, and
// of operations side by side all that they threw.
std::exception_ptr explained(std::exception_ptr thrown, const CancelToken& token) noexcept {
  if (!token.is_cancelled()) return thrown;
  bool is_cancelled = false;
  try {
    std::rethrow_exception(thrown);
  } catch (const boost::system::system_error& error) {
    is_cancelled = error.code() == asio::error::operation_aborted ||
                   error.code() == asio::experimental::error::channel_cancelled;
  } catch (const asio::multiple_exceptions& several) {
    return explained(several.first_exception(), token);
  } catch (const Cancelled& cancelled) {
    is_cancelled = cancelled.reason() == CancelReason::none;
  } catch (...) {
  }
  return is_cancelled ? std::make_exception_ptr(Cancelled(token.reason())) : thrown;
}

asio::any_io_executor beside(const asio::any_io_executor& executor) {
  const auto* const own = executor.target<ContextExecutor>();
  return ContextExecutor::on(own == nullptr ? executor : own->inner());
}

}  // namespace coroutine

asio::awaitable<void> sleep_until(std::chrono::steady_clock::time_point deadline) {
  asio::steady_timer timer(co_await asio::this_coro::executor, deadline);
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> sleep_for(std::chrono::nanoseconds duration) {
  const auto now = std::chrono::steady_clock::now();
  const auto last = std::chrono::steady_clock::time_point::max();
  return sleep_until(duration > last - now ? last : now + duration);
}

}  // namespace weft
