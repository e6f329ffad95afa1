// SPDX-License-Identifier: Apache-2.0
// Fibers of Boost.Fiber on threads that share them, as many as the budget has CPUs.
#include "boost_fibers.h"

#include <weft/budget.h>

#include <boost/fiber/algo/shared_work.hpp>
#include <boost/fiber/buffered_channel.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/future.hpp>
#include <boost/fiber/operations.hpp>
#include <thread>

namespace links {
namespace {

class BoostFibers final : public Model {
 public:
  explicit BoostFibers(weft::Pool& pool) : pool_(pool) {
    const auto threads = weft::budget::read().sizes.cpu_pool_threads.value;
    for (std::uint64_t thread = 0; thread < static_cast<std::uint64_t>(threads); ++thread) {
      threads_.emplace_back([this] { serve(); });
    }
  }
  ~BoostFibers() override { end(); }
  void end() final {
    orders_.close();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  void begin(Work work, Done done) override {
    Order order{weft::Context::capture(), std::move(work), std::move(done)};
    const Done refuse = order.done;
    if (orders_.try_push(std::move(order)) != boost::fibers::channel_op_status::success) {
      refuse(std::make_exception_ptr(weft::Cancelled(weft::CancelReason::overload)));
    }
  }

 private:
  struct Order {
    weft::Context context;
    Work work;
    Done done;
  };

  void serve() {
    boost::fibers::use_scheduling_algorithm<boost::fibers::algo::shared_work>(true);
    Order order;
    while (orders_.pop(order) == boost::fibers::channel_op_status::success) {
      boost::fibers::fiber([this, own = std::move(order)]() mutable { perform(own); }).detach();
    }
  }

  void perform(Order& order) {
    // The pool's as well: the fiber may be gone before set_value() has returned.
    const auto promise = std::make_shared<boost::fibers::promise<void>>();
    boost::fibers::future<void> future = promise->get_future();
    std::exception_ptr thrown;
    run_on(
        pool_,
        [&order] {
          // The fiber's thread has the context of nobody, and keeps none while fibers take turns.
          const weft::Attached attached(order.context);
          order.work();
        },
        [promise, &thrown](std::exception_ptr what) {
          thrown = std::move(what);
          promise->set_value();
        });
    future.wait();
    order.done(std::move(thrown));
  }

  static constexpr std::size_t most_orders = 4096;  // a power of two
  weft::Pool& pool_;
  boost::fibers::buffered_channel<Order> orders_{most_orders};
  std::vector<std::thread> threads_;
};

}  // namespace

bool has_boost_fibers() noexcept {
  return true;
}

std::unique_ptr<Model> make_boost_fibers(weft::Pool& pool) {
  return std::make_unique<BoostFibers>(pool);
}

}  // namespace links
