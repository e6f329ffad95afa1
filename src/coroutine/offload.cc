// SPDX-License-Identifier: Apache-2.0
// A call that blocks, on the pool: the coroutine goes on when it is done, or will not be begun.
//
//   queued  --a thread takes it-->           begun      --it returns-->  the coroutine goes on
//   queued  --the coroutine is cancelled-->  abandoned, and the coroutine goes on at once
//   queued  --the pool sheds it, or its watch does not let it begin-->  abandoned, the same
//
// The errand is the pool's until it is run or shed, and the coroutine's until it goes on.
#include <weft/coroutines.h>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "base/atomic.h"

namespace weft::coroutine {
namespace {

namespace asio = boost::asio;

template <class Handler>
class Errand final : public Job {
 public:
  Errand(Handler handler, std::function<void()> work)
      : handler_(std::move(handler)),
        executor_(asio::make_work_guard(asio::get_associated_executor(handler_))),
        work_(std::move(work)) {}

  static void begin(Pool& pool, Handler handler, std::function<void()> work) {
    const auto errand = std::make_shared<Errand>(std::move(handler), std::move(work));
    errand->own_ = errand;
    auto slot = asio::get_associated_cancellation_slot(errand->handler_);
    if (slot.is_connected()) {
      slot.assign([weak = std::weak_ptr(errand)](asio::cancellation_type) {
        if (const auto still = weak.lock()) still->give_up(cancellation().reason());
      });
    }
    if (const OffloadWatch* const watch = offload_watch.get()) watch->queued();
    const Submitted submitted = pool.try_submit(*errand);
    if (submitted == Submitted::accepted) return;
    errand->own_.reset();
    errand->give_up(submitted == Submitted::full ? CancelReason::overload : CancelReason::shutdown);
  }

  void run(const JobTimes& times) override {
    const std::shared_ptr<Errand> own = std::move(own_);
    if (!take()) return;
    const OffloadWatch* const watch = offload_watch.get();
    if (watch != nullptr && !watch->begins(times)) {
      return go_on(std::make_exception_ptr(Cancelled(CancelReason::overload)));
    }
    std::exception_ptr thrown;
    try {
      work_();
    } catch (...) {
      thrown = std::current_exception();
    }
    go_on(std::move(thrown));
  }

  void shed(ShedReason) noexcept override {
    const std::shared_ptr<Errand> own = std::move(own_);
    give_up(CancelReason::overload);
  }

 private:
  bool take() noexcept { return !is_taken_.exchange(true, std::memory_order_acq_rel); }

  void give_up(CancelReason reason) {
    if (take()) go_on(std::make_exception_ptr(Cancelled(reason)));
  }

  void go_on(std::exception_ptr thrown) {
    const auto executor = executor_.get_executor();
    asio::post(executor, [handler = std::move(handler_), work = std::move(executor_),
                          thrown = std::move(thrown)]() mutable {
      auto slot = asio::get_associated_cancellation_slot(handler);
      if (slot.is_connected()) slot.clear();
      std::move(handler)(std::move(thrown));
    });
  }

  Handler handler_;
  asio::executor_work_guard<asio::associated_executor_t<Handler>> executor_;
  std::function<void()> work_;
  std::shared_ptr<Errand> own_;  // while it is the pool's
  atomic<bool> is_taken_{false};
};

}  // namespace

asio::awaitable<void> run_on(Pool& pool, std::function<void()> work) {
  co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(std::exception_ptr)>(
      [&pool, &work](auto&& handler) {
        using Handler = std::decay_t<decltype(handler)>;
        Errand<Handler>::begin(pool, std::forward<decltype(handler)>(handler), std::move(work));
      },
      asio::use_awaitable);
}

}  // namespace weft::coroutine
