// SPDX-License-Identifier: Apache-2.0
// A coroutine that sleeps by an alarm of gRPC, or by the poller, of the queue whose thread it is
// on.
#include <weft/coroutines.h>
#include <weft/grpc_queue.h>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>

#include "grpc/clock.h"

namespace weft::grpc {
namespace {

namespace asio = boost::asio;
using Instant = std::chrono::steady_clock::time_point;

// Its tag comes exactly once: when it is time, or when it was cancelled.
template <class Handler>
class Sleep final : public Tag {
 public:
  static void begin(QueueContext& queue, Instant deadline, Handler handler) {
    auto* const sleep = new Sleep(std::move(handler));
    auto slot = asio::get_associated_cancellation_slot(sleep->handler_);
    if (slot.is_connected()) {
      slot.assign([sleep](asio::cancellation_type) { sleep->alarm_.Cancel(); });
    }
    sleep->alarm_.Set(&queue.completions(), timespec_of(deadline), queue.begin(*sleep));
  }

  void complete(bool is_time) override {
    Handler handler = std::move(handler_);
    asio::get_associated_cancellation_slot(handler).clear();
    delete this;
    const auto executor = asio::get_associated_executor(handler);
    asio::dispatch(executor, [own = std::move(handler), is_time]() mutable {
      own(is_time ? boost::system::error_code() : asio::error::operation_aborted);
    });
  }

 private:
  explicit Sleep(Handler handler) : handler_(std::move(handler)) {}

  Handler handler_;
  ::grpc::Alarm alarm_;
};

// Goes on at once when it is cancelled: the poller forgets it.
template <class Handler>
class PolledSleep final : public Timer {
 public:
  static void begin(QueueContext& queue, Instant deadline, Handler handler) {
    auto* const sleep = new PolledSleep(queue, std::move(handler));
    auto slot = asio::get_associated_cancellation_slot(sleep->handler_);
    if (slot.is_connected()) {
      slot.assign([sleep](asio::cancellation_type) {
        sleep->queue_.poller()->cancel(*sleep);
        sleep->go_on(asio::error::operation_aborted);
      });
    }
    queue.work_begins();
    queue.poller()->set(*sleep, deadline);
  }

  void expire() override {
    asio::get_associated_cancellation_slot(handler_).clear();
    go_on({});
  }

 private:
  PolledSleep(QueueContext& queue, Handler handler) : queue_(queue), handler_(std::move(handler)) {}

  void go_on(boost::system::error_code error) {
    Handler handler = std::move(handler_);
    queue_.work_ends();
    delete this;
    const auto executor = asio::get_associated_executor(handler);
    asio::dispatch(executor, [own = std::move(handler), error]() mutable { own(error); });
  }

  QueueContext& queue_;
  Handler handler_;
};

}  // namespace

asio::awaitable<void> sleep_until(Instant deadline) {
  QueueContext* const queue = QueueContext::current();
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  if (queue == nullptr || &asio::query(executor, asio::execution::context) != queue) {
    co_return co_await weft::sleep_until(deadline);
  }
  co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(boost::system::error_code)>(
      [queue, deadline](auto handler) {
        using Handler = decltype(handler);
        queue->poller() == nullptr
            ? Sleep<Handler>::begin(*queue, deadline, std::move(handler))
            : PolledSleep<Handler>::begin(*queue, deadline, std::move(handler));
      },
      asio::use_awaitable);
}

asio::awaitable<void> sleep_for(std::chrono::nanoseconds duration) {
  return sleep_until(std::chrono::steady_clock::now() + duration);
}

}  // namespace weft::grpc
