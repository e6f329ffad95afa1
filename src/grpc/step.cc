// SPDX-License-Identifier: Apache-2.0
// A coroutine waits for gRPC to read or write, and goes on when it has, or when it is cancelled.
#include <weft/grpc_call.h>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>

namespace weft::grpc {
namespace {

namespace asio = boost::asio;

template <class Handler>
class WaiterOf final : public Step::Waiter {
 public:
  explicit WaiterOf(Handler handler) : handler_(std::move(handler)) {}

  void resume(bool is_aborted, bool is_ok) override {
    Handler handler = std::move(handler_);
    delete this;
    if (!is_aborted) asio::get_associated_cancellation_slot(handler).clear();
    const auto executor = asio::get_associated_executor(handler);
    asio::dispatch(executor, [own = std::move(handler), is_aborted, is_ok]() mutable {
      own(is_aborted ? asio::error::operation_aborted : boost::system::error_code(), is_ok);
    });
  }
  Handler& handler() noexcept { return handler_; }

 private:
  Handler handler_;
};

}  // namespace

void* Step::begin() {
  call_.check();
  if (is_under_way_ || !call_.is_running_) {
    throw std::logic_error("weft::grpc: one read and one write at a time, and in the handler");
  }
  is_under_way_ = true;
  ++call_.tags_;
  return call_.queue().begin(*this);
}

asio::awaitable<bool> Step::wait() {
  return asio::async_initiate<const asio::use_awaitable_t<>&,
                              void(boost::system::error_code, bool)>(
      [this](auto handler) {
        auto* const waiter = new WaiterOf<decltype(handler)>(std::move(handler));
        waiter_ = waiter;
        auto slot = asio::get_associated_cancellation_slot(waiter->handler());
        if (!slot.is_connected()) return;
        slot.assign([this](asio::cancellation_type) {
          if (Waiter* const waits = std::exchange(waiter_, nullptr)) waits->resume(true, false);
        });
      },
      asio::use_awaitable);
}

void Step::complete(bool is_ok) {
  Call& call = call_;
  is_under_way_ = false;
  --call.tags_;
  if (Waiter* const waits = std::exchange(waiter_, nullptr)) waits->resume(false, is_ok);
  call.come_back();
}

}  // namespace weft::grpc
