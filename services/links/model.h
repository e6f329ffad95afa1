// SPDX-License-Identifier: Apache-2.0
// Model: what a piece of work that blocks is run on. The work is the same on all of them.
//
//   threads      a thread of a pool. An HTTP handler is on one already, and calls the work itself.
//   coroutines   a coroutine of Boost.Asio on the budget's executors, which hands the work to the
//                pool by weft::offload() and is resumed when it is done.
//   fibers       a fiber of weft's engine for each piece of work. The drivers wait in system calls
//                of their own, so the fiber does it at home, on its own kernel thread.
//   boost-fiber  a fiber of Boost.Fiber, on a scheduler that as many threads share as the budget
//   has
//                CPUs. It hands the work to the pool, and waits for its future. Boost.Fiber knows
//                nothing of our context: the work takes it along by itself.
//
// No driver has sockets that we could wait for (include/weft/sql.h says why), so on all of them a
// thread blocks for as long as a statement runs, and what differs is the way there and back.
#pragma once

#include <weft/context.h>
#include <weft/coroutines.h>
#include <weft/pool.h>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace links {

class Model {
 public:
  using Work = std::function<void()>;
  using Done = std::function<void(std::exception_ptr)>;

  virtual ~Model() = default;
  // Calls the work, in the context of here, and then done() with what it has thrown; with
  // weft::Cancelled, where it was never begun. Exactly once, on any thread. Does not wait.
  virtual void begin(Work work, Done done) = 0;
  // Whether a thread that may block does best to call the work itself.
  virtual bool is_direct() const noexcept { return false; }
  // Once all work is done: waits until no thread of the model's own runs any more. So it is called
  // while those who were told are still there.
  virtual void end() {}
};

std::vector<std::string> model_names();
// Throws std::invalid_argument for a name that is none of them. The pool is for what blocks, the
// coroutines are asked for by the model that needs them; both live as long as the last work.
std::unique_ptr<Model> make_model(const std::string& name, weft::Pool& pool,
                                  const std::function<weft::Coroutines&()>& coroutines);

// For threads that may wait. What has begun is waited for: it learns of a cancellation by itself.
template <class Function, class Value = std::invoke_result_t<Function&>>
Value run(Model& model, Function function) {
  if (model.is_direct()) return function();
  std::optional<Value> value;
  std::promise<void> promise;
  std::future<void> future = promise.get_future();
  model.begin(
      [&] { value.emplace(function()); },
      // By value: the waiting one may be gone before set_value() has returned.
      [own = std::make_shared<std::promise<void>>(std::move(promise))](std::exception_ptr thrown) {
        if (thrown) return own->set_exception(std::move(thrown));
        own->set_value();
      });
  const weft::BlockingScope blocking;
  future.get();
  return std::move(*value);
}

// For coroutines, which go on where they were.
template <class Function, class Value = std::invoke_result_t<Function&>>
boost::asio::awaitable<Value> await(Model& model, Function function) {
  namespace asio = boost::asio;
  std::optional<Value> value;
  const auto begin = [&](auto&& own) {
    using Handler = std::decay_t<decltype(own)>;
    struct Waiter {
      Handler handler;
      asio::executor_work_guard<asio::associated_executor_t<Handler>> guard;
    };
    auto guard = asio::make_work_guard(asio::get_associated_executor(own));
    const auto waiter =
        std::make_shared<Waiter>(Waiter{std::forward<decltype(own)>(own), std::move(guard)});
    model.begin([&] { value.emplace(function()); },
                [waiter](std::exception_ptr thrown) {
                  const auto executor = waiter->guard.get_executor();
                  // Moved, so that nothing of the coroutine goes on another thread than its own.
                  asio::post(executor,
                             [own = std::move(*waiter), thrown = std::move(thrown)]() mutable {
                               std::move(own.handler)(std::move(thrown));
                             });
                });
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(std::exception_ptr)>(
      begin, asio::use_awaitable);
  co_return std::move(*value);
}

}  // namespace links
