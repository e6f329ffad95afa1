// SPDX-License-Identifier: Apache-2.0
// Coroutines that wait in a queue.
//
//   queued  --wake_one()-->                 woken: goes on
//   queued  --the coroutine is cancelled--> goes on with an error
//
// Which of the two comes first is decided under the owner's lock, by taking it out of the queue.
// Either may come before the coroutine is parked.
#include <weft/coroutine_sync.h>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>

namespace weft::coroutine {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// A coroutine that is suspended, whatever Asio calls it.
class Parked {
 public:
  virtual ~Parked() = default;
  virtual void go_on(error_code error) noexcept = 0;
};

template <class Handler>
class ParkedHandler final : public Parked {
 public:
  explicit ParkedHandler(Handler handler)
      : handler_(std::move(handler)),
        work_(asio::make_work_guard(asio::get_associated_executor(handler_))) {}

  void go_on(error_code error) noexcept override {
    const auto executor = work_.get_executor();
    asio::post(executor, [handler = std::move(handler_), work = std::move(work_), error]() mutable {
      auto slot = asio::get_associated_cancellation_slot(handler);
      if (slot.is_connected()) slot.clear();
      std::move(handler)(error);
    });
  }

 private:
  Handler handler_;
  asio::executor_work_guard<asio::associated_executor_t<Handler>> work_;
};

}  // namespace

// Guarded by the owner's lock.
struct WaitQueue::Waiter {
  enum class State { queued, woken, left };
  State state = State::queued;
  std::list<std::shared_ptr<Waiter>>::iterator place;
  std::unique_ptr<Parked> parked;  // none: not yet, or not any more

  void go_on(error_code error) noexcept {
    if (const auto own = std::move(parked)) own->go_on(error);
  }
};

bool WaitQueue::wake_one(const Guard&) noexcept {
  if (waiters_.empty()) return false;
  const std::shared_ptr<Waiter> first = std::move(waiters_.front());
  waiters_.pop_front();
  first->state = Waiter::State::woken;
  first->go_on({});
  return true;
}

asio::awaitable<void> WaitQueue::wait(Guard& guard) {
  using State = Waiter::State;
  const auto waiter = std::make_shared<Waiter>();
  waiter->place = waiters_.insert(waiters_.end(), waiter);
  std::mutex& mutex = *guard.mutex();
  guard.unlock();

  const auto leave = [this, &mutex, waiter] {
    const std::scoped_lock again(mutex);
    if (waiter->state == State::queued) {
      waiter->state = State::left;
      waiters_.erase(waiter->place);
      waiter->go_on(asio::error::operation_aborted);
    }
    return waiter->state == State::left;
  };
  const auto park = [&](auto&& handler) {
    using Handler = std::decay_t<decltype(handler)>;
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto parked =
        std::make_unique<ParkedHandler<Handler>>(std::forward<decltype(handler)>(handler));
    const std::scoped_lock again(mutex);
    if (waiter->state != State::queued) return parked->go_on({});
    waiter->parked = std::move(parked);
    if (slot.is_connected()) slot.assign([leave](asio::cancellation_type) { leave(); });
  };
  try {
    co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(error_code)>(
        park, asio::use_awaitable);
  } catch (...) {
    // Cancelled before it was parked; woken all the same, it goes on: what it was woken for would
    // be lost.
    if (leave()) throw;
  }
}

}  // namespace weft::coroutine
