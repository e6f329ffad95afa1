// SPDX-License-Identifier: Apache-2.0
// One coroutine, many handlers.
#include "grpc/driver.h"

#include <weft/grpc_call.h>

#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <new>
#include <utility>

namespace weft::grpc {

namespace asio = boost::asio;

template <class Handler>
class Driver::WaiterOf final : public Waiter {
 public:
  explicit WaiterOf(Handler handler) : handler_(std::move(handler)) {}

  void resume(Call* call) override {
    Handler handler = std::move(handler_);
    delete this;
    std::move(handler)(call);
  }

 private:
  Handler handler_;
};

Driver::Driver(QueueContext& queue) : queue_(queue), strand_(queue.make_strand()) {}

std::shared_ptr<Driver> Driver::start(QueueContext& queue) {
  const std::shared_ptr<Driver> driver(new Driver(queue));
  const std::int64_t work = queue.work();
  const auto keep = [driver](const std::exception_ptr&) {};
  asio::co_spawn(QueueExecutor(driver->strand_), drive(driver),
                 asio::bind_cancellation_slot(driver->signal_.slot(), keep));
  if (driver->waiter_ == nullptr) throw std::bad_alloc();
  driver->work_ = queue.work() - work;
  queue.add_work(-driver->work_);
  driver->owners_ = driver->strand_.use_count();
  return driver;
}

asio::awaitable<Call*> Driver::next() {
  return asio::async_initiate<const asio::use_awaitable_t<>&, void(Call*)>(
      [this](auto handler) {
        waiter_ = new WaiterOf<decltype(handler)>(std::move(handler));
        queue_.add_work(-work_);
      },
      asio::use_awaitable);
}

asio::awaitable<void> Driver::drive(std::shared_ptr<Driver> self) {
  while (Call* const call = co_await self->next()) {
    // As they were before the last handler.
    co_await asio::this_coro::reset_cancellation_state();
    co_await asio::this_coro::throw_if_cancelled(true);
    std::exception_ptr thrown;
    ::grpc::Status status;
    try {
      status = co_await call->answer();
    } catch (...) {
      thrown = std::current_exception();
    }
    call->ended(std::move(thrown), status);
    if (self->is_cancelled_) break;
  }
}

void Driver::resume(Call* call) {
  const coroutine::Home::Visit visit(*strand_->home);
  queue_.add_work(work_);
  std::exchange(waiter_, nullptr)->resume(call);
}

void Driver::run(Call& call, context::Reference context) {
  strand_->home->restart(std::move(context));
  resume(&call);
}

void Driver::cancel() {
  if (waiter_ != nullptr) return;
  is_cancelled_ = true;
  signal_.emit(asio::cancellation_type::terminal);
}

bool Driver::rests() noexcept {
  if (waiter_ == nullptr || is_cancelled_ || strand_.use_count() != owners_) return false;
  strand_->home->restart({});
  return true;
}

void Driver::stop() {
  if (waiter_ != nullptr) resume(nullptr);
}

}  // namespace weft::grpc
