// SPDX-License-Identifier: Apache-2.0
// A coroutine that sleeps by an alarm of gRPC, on the completion queue whose thread it is on.
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

}  // namespace

asio::awaitable<void> sleep_until(Instant deadline) {
  QueueContext* const queue = QueueContext::current();
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  if (queue == nullptr || &asio::query(executor, asio::execution::context) != queue) {
    co_return co_await weft::sleep_until(deadline);
  }
  co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(boost::system::error_code)>(
      [queue, deadline](auto handler) {
        Sleep<decltype(handler)>::begin(*queue, deadline, std::move(handler));
      },
      asio::use_awaitable);
}

asio::awaitable<void> sleep_for(std::chrono::nanoseconds duration) {
  return sleep_until(std::chrono::steady_clock::now() + duration);
}

}  // namespace weft::grpc
