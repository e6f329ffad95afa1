// SPDX-License-Identifier: Apache-2.0
// Start, end and size of a runtime.
#include "sched/runtime.h"

#include <algorithm>
#include <mutex>

#include "arch/switch.h"
#include "os/check.h"
#include "os/futex.h"
#include "sched/outside_wakers.h"
#include "sched/poller.h"

namespace weft::sched {

Runtime::Runtime(const RuntimeOptions& options)
    : most_workers_(std::max(options.most_workers, options.workers)),
      around_carrier_(options.around_carrier),
      at_begin_of_home_(options.at_begin_of_home),
      lends_places_(options.lends_places && options.monitored),
      files_(epoll_, options.file_requests),
      workers_(new Worker[most_workers_]),
      poller_(new Poller(epoll_)) {
  arch::prepare();
  for (std::uint32_t i = 0; i < most_workers_; ++i) workers_[i].index = i;
  if (options.monitored) monitor_ = std::make_unique<Monitor>(*this, options.monitor);
  resize(options.workers);
}

Runtime::~Runtime() {
  wait_for_fibers();
  stopping_.store(true, std::memory_order_seq_cst);
  set_target(0);
  for (;;) {
    {
      const std::scoped_lock guard(spares_lock_);
      for (Carrier* spare = first_spare_; spare != nullptr; spare = spare->next_spare) {
        os::futex_wake(spare->spare_word);
      }
    }
    const std::uint32_t carriers = carriers_.load(std::memory_order_acquire);
    if (carriers == 0) break;
    // A spare may have looked at stopping_ before, and sleep only now: look again soon.
    os::futex_wait(carriers_, carriers, os::MonotonicClock::now() + std::chrono::milliseconds{1});
  }
  monitor_.reset();
  OutsideWaker::wait_for_all();
  while (Carrier* const carrier = first_made_) {
    first_made_ = carrier->next_made;
    delete carrier;
  }
}

void Runtime::resize(std::uint32_t workers) {
  set_target(std::clamp<std::uint32_t>(workers, 1, most_workers_));
}

void Runtime::set_target(std::uint32_t target) {
  const std::scoped_lock guard(resize_lock_);
  target_.store(target, std::memory_order_seq_cst);
  if (made_.load(std::memory_order_relaxed) < target) {
    made_.store(target, std::memory_order_release);
  }
  for_each_worker([&](Worker& worker) {
    if (worker.index < target) {
      // Pairs with the store in retire(): either we find it given up, or it finds itself wanted.
      if (worker.active.exchange(true) || employ(worker)) return;
      // The others do its work, and the monitor tries again.
      os::check(monitor_ != nullptr && carriers() != 0,
                "weft: no kernel thread left for a worker; raise `ulimit -u`");
      return;
    }
    // Also where it was relieved: the mark is only a hint.
    Carrier* const carrier = worker.carrier.load(std::memory_order_acquire);
    if (carrier != nullptr) carrier->attention.store(1, std::memory_order_relaxed);
    idle_.wake(worker.sleeper);
  });
}

void Runtime::share_next(Worker& worker) noexcept {
  fiber::Fiber* const fiber = worker.next.exchange(nullptr, std::memory_order_acq_rel);
  if (fiber != nullptr) inject(*fiber);
}

bool Runtime::try_borrow(fiber::Fiber& self) noexcept {
  if (!lends_places_ || !idle_.try_borrow()) return false;
  self.loan.store(fiber::Loan::borrowed, std::memory_order_relaxed);
  monitor_->somebody_is_up();
  return true;
}

void Runtime::give_back(fiber::Fiber& self) noexcept {
  if (self.loan.exchange(fiber::Loan::none) != fiber::Loan::borrowed) return;
  idle_.give_back();
  // What became ready meanwhile was left to us.
  if (anything_to_share()) idle_.wake_one();
}

void Runtime::call_in_loan(fiber::Fiber& fiber) noexcept {
  fiber::Loan loan = fiber::Loan::borrowed;
  if (!fiber.loan.compare_exchange_strong(loan, fiber::Loan::called_in)) return;
  idle_.give_back();
  if (anything_to_share()) idle_.wake_one();
}

void Runtime::wait_for_fibers() noexcept {
  while (const std::uint32_t fibers = fibers_.load(std::memory_order_acquire)) {
    os::futex_wait(fibers_, fibers);
  }
}

void Runtime::fiber_is_over() noexcept {
  // The last touch: the runtime may be gone after this, and its address is only a name.
  if (fibers_.fetch_sub(1, std::memory_order_acq_rel) == 1) os::futex_wake(fibers_);
}

void Runtime::uncount_relieved(const Carrier& carrier) noexcept {
  auto& count = carrier.relieved_asleep ? relieved_asleep_ : relieved_running_;
  count.fetch_sub(1, std::memory_order_relaxed);
}

void Runtime::count_relieved(Carrier& carrier, bool asleep) noexcept {
  carrier.relieved_asleep = asleep;
  (asleep ? relieved_asleep_ : relieved_running_).fetch_add(1, std::memory_order_relaxed);
}

void Runtime::look_outside() noexcept {
  poll_now(workers_[0]);
  fire_timers(workers_[0]);
}

}  // namespace weft::sched
