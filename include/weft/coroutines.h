// SPDX-License-Identifier: Apache-2.0
// Coroutines of Boost.Asio on as many threads as the CPU budget has, with context and cancellation.
//
//   weft::Coroutines coroutines;                              // follows the budget
//   weft::spawn(coroutines.executor(), answer(request));      // with the context of here
//
//   asio::awaitable<Response> answer(Request request) {
//     const Row row = co_await weft::offload(coroutines.blocking(), [&] { return query(request);
//     }); co_return Response(row);                                // on an executor's thread again
//   }
//
// A coroutine that is spawned has the context of whoever spawned it, and keeps it over every
// co_await. When the token that it was spawned with is cancelled, what it awaits is cancelled, and
// so is what it would await next; it unwinds by an exception, and who waits for it gets Cancelled.
// A CancelScope within it is for what is called, and for offload(); what is awaited with less time
// is awaited by within().
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <weft/cancel.h>
#include <weft/context.h>
#include <weft/context_executor.h>
#include <weft/pool.h>

namespace weft {

struct CoroutinesOptions {
  std::uint32_t threads = 0;  // 0: the CPU budget, followed while it changes
  PoolOptions blocking{};     // for calls that block
  // Of what nobody waits for. None: it ends the process.
  std::function<void(std::exception_ptr)> on_exception{};
};

class Coroutines {
 public:
  explicit Coroutines(CoroutinesOptions options = {});
  ~Coroutines();  // as drain()
  Coroutines(const Coroutines&) = delete;
  Coroutines& operator=(const Coroutines&) = delete;

  // For sockets, timers, and as the first argument of spawn().
  boost::asio::any_io_executor executor() noexcept;
  Pool& blocking() noexcept;

  // From now on so many threads; the budget is followed no more.
  void resize(std::uint32_t threads);
  std::uint32_t threads() const noexcept;

  // Once. Waits until nothing is left to do: all coroutines are over, and no socket is waited for.
  // Who wants that soon cancels them first.
  void drain() noexcept;

 private:
  class Crew;
  std::unique_ptr<Crew> crew_;
};

// Who is told of what is offloaded within it: a pool's queue is a wait of the request's, too.
class OffloadWatch {
 public:
  virtual ~OffloadWatch() = default;
  // It was given to a pool, or is about to be; it may never begin.
  virtual void queued() const noexcept {}
  // A thread of the pool has come to it; whoever offloaded it waits. False: it is too late for it,
  // and who waits is told that there is too much to do.
  virtual bool begins(const JobTimes&) const noexcept { return true; }
};
inline constexpr Ambient<OffloadWatch> offload_watch("offload watch");

namespace coroutine {

// Tells a coroutine of its token, on the coroutine's own executor.
struct Leash {
  explicit Leash(boost::asio::any_io_executor own) : executor(std::move(own)) {}
  boost::asio::any_io_executor executor;
  boost::asio::cancellation_signal signal;
};
struct Pull {
  std::shared_ptr<Leash> leash;
  void operator()() const;
};

// What a coroutine ended with, as its token explains it.
std::exception_ptr explained(std::exception_ptr thrown, const CancelToken& token) noexcept;

template <class T>
boost::asio::awaitable<T> on_leash(boost::asio::awaitable<T> body, CancelToken token,
                                   std::shared_ptr<Leash> leash) {
  const auto guard = set_cancellation(token);
  const auto executor = leash->executor;
  const std::stop_callback pull(token.stop_token(), Pull{std::move(leash)});
  std::exception_ptr thrown;
  try {
    // Not within spawn(): its caller may hold a lock, or be such a coroutine itself.
    co_await boost::asio::post(executor, boost::asio::use_awaitable);
    co_return co_await std::move(body);
  } catch (...) {
    thrown = std::current_exception();
  }
  std::rethrow_exception(explained(thrown, token));
}

// Runs `work` on the pool, and goes on when it is done. Throws Cancelled, and `work` is never
// begun, if it was cancelled before, or the pool had no room.
boost::asio::awaitable<void> run_on(Pool& pool, std::function<void()> work);

}  // namespace coroutine

// Starts a coroutine on a strand of its own. done(exception[, value]) is called on its executor.
template <class T, class Done>
void spawn(const boost::asio::any_io_executor& executor, boost::asio::awaitable<T> body,
           const CancelToken& token, Done done) {
  namespace asio = boost::asio;
  // One thing after another, on however many threads: a signal is no thing for two at once.
  const asio::any_io_executor own =
      ContextExecutor::on(asio::make_strand(ContextExecutor::below(executor)));
  auto leash = std::make_shared<coroutine::Leash>(own);
  const asio::cancellation_slot slot = leash->signal.slot();
  asio::co_spawn(
      own, coroutine::on_leash(std::move(body), token, leash),
      asio::bind_cancellation_slot(slot, [leash, done = std::move(done)](auto&&... result) mutable {
        done(std::forward<decltype(result)>(result)...);
      }));
}

// What the coroutine throws, unless it is Cancelled, is thrown on the executor's thread: it ends
// the process, or is told to CoroutinesOptions::on_exception.
template <class T>
void spawn(const boost::asio::any_io_executor& executor, boost::asio::awaitable<T> body,
           const CancelToken& token = cancellation()) {
  spawn(executor, std::move(body), token, [](const std::exception_ptr& thrown, auto&&...) {
    if (thrown == nullptr) return;
    try {
      std::rethrow_exception(thrown);
    } catch (const Cancelled&) {  // as it was asked to
    }
  });
}

// The same for a function that makes the coroutine: it lives as long as that, with what it
// captures.
template <class Function, class T = typename std::invoke_result_t<Function&>::value_type>
void spawn(const boost::asio::any_io_executor& executor, Function function,
           const CancelToken& token = cancellation()) {
  const auto call = [](Function own) -> boost::asio::awaitable<T> { co_return co_await own(); };
  spawn(executor, call(std::move(function)), token);
}

namespace coroutine {

// Of a new strand, of those that take turns with the caller.
boost::asio::any_io_executor beside(const boost::asio::any_io_executor& executor);

}  // namespace coroutine

// The coroutine as a part of the caller, with a context of its own: for Asio's operators && and ||,
// whose sides take turns.
template <class T>
boost::asio::awaitable<T> branch(boost::asio::awaitable<T> body) {
  namespace asio = boost::asio;
  const asio::any_io_executor own = coroutine::beside(co_await asio::this_coro::executor);
  co_return co_await asio::co_spawn(own, std::move(body), asio::use_awaitable);
}

// The coroutine as a part of the caller that has less time: throws Cancelled when it is over.
template <class T>
boost::asio::awaitable<T> within(CancelToken::Instant deadline, boost::asio::awaitable<T> body) {
  namespace asio = boost::asio;
  const CancelSource source(deadline, cancellation());
  const asio::any_io_executor own = coroutine::beside(co_await asio::this_coro::executor);
  const auto leash = std::make_shared<coroutine::Leash>(own);
  co_return co_await asio::co_spawn(
      own, coroutine::on_leash(std::move(body), source.token(), leash),
      asio::bind_cancellation_slot(leash->signal.slot(), asio::use_awaitable));
}

// Calls a function that blocks, on the pool, with the context of here; goes on where it was. What
// it throws is thrown here. Throws Cancelled where it could not be begun. What has begun is waited
// for: it learns of a cancellation by weft::cancellation(), as everybody.
template <class Function>
auto offload(Pool& pool, Function function)
    -> boost::asio::awaitable<std::invoke_result_t<Function&>> {
  using Value = std::invoke_result_t<Function&>;
  if constexpr (std::is_void_v<Value>) {
    co_await coroutine::run_on(pool, std::ref(function));
  } else {
    std::optional<Value> value;
    co_await coroutine::run_on(pool, [&] { value.emplace(function()); });
    co_return std::move(*value);
  }
}

// Throws when it is cancelled.
boost::asio::awaitable<void> sleep_until(std::chrono::steady_clock::time_point deadline);
boost::asio::awaitable<void> sleep_for(std::chrono::nanoseconds duration);

}  // namespace weft
