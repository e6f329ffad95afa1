// SPDX-License-Identifier: Apache-2.0
// poll(): one fiber waits for many descriptors.
#include <sys/syscall.h>

#include <memory>

#include "os/system_call.h"
#include "sched/io.h"
#include "sched/park.h"

namespace weft::sched {
namespace {

// One subscription for each descriptor that is not negative.
struct Subscription {
  PollWaiter waiter;
  Edge before;
};

constexpr std::size_t most_on_stack = 8;

class Subscriptions {
 public:
  Subscriptions(Poller& poller, pollfd* descriptors, std::size_t count)
      : poller_(poller), descriptors_(descriptors), count_(count) {
    if (count > most_on_stack) many_ = std::make_unique<Subscription[]>(count);
  }

  void look() {
    for (std::size_t i = 0; i < count_; ++i) at(i).before = poller_.look_both(descriptors_[i].fd);
  }

  // True: all are subscribed; false: an edge came in between, or poll(2) must be asked again.
  // Descriptors that epoll does not take never change, so poll(2) has said all there is.
  bool subscribe() {
    fiber::Fiber& self = fiber::self();
    for (std::size_t i = 0; i < count_; ++i) {
      if (descriptors_[i].fd < 0) continue;
      at(i).waiter.fiber = &self;
      at(i).waiter.state.store(PollWaiter::waiting, std::memory_order_relaxed);
      const auto events = static_cast<std::uint16_t>(descriptors_[i].events);
      switch (poller_.subscribe(descriptors_[i].fd, at(i).waiter, events, at(i).before)) {
        case Waited::timed_out:
        case Waited::unpollable:
          continue;
        default:
          return false;
      }
    }
    return true;
  }

  bool any_woken() {
    for (std::size_t i = 0; i < count_; ++i) {
      if (at(i).waiter.state.load(std::memory_order_acquire) != PollWaiter::waiting) return true;
    }
    return false;
  }

  void unsubscribe() {
    for (std::size_t i = 0; i < count_; ++i) {
      if (descriptors_[i].fd >= 0) poller_.unsubscribe(descriptors_[i].fd, at(i).waiter);
    }
  }

 private:
  Subscription& at(std::size_t index) { return many_ != nullptr ? many_[index] : few_[index]; }

  Poller& poller_;
  pollfd* const descriptors_;
  const std::size_t count_;
  Subscription few_[most_on_stack];
  std::unique_ptr<Subscription[]> many_;
};

long poll_at_once(pollfd* descriptors, std::size_t count) {
  const timespec at_once{};
  return os::call(SYS_ppoll, descriptors, count, &at_once, nullptr, 0);
}

long poll_blocking(pollfd* descriptors, std::size_t count, os::Instant deadline) {
  timespec time{};
  if (deadline != os::never) {
    const auto left = (deadline - os::MonotonicClock::now()).count();
    time.tv_sec = left > 0 ? left / 1'000'000'000 : 0;
    time.tv_nsec = left > 0 ? left % 1'000'000'000 : 0;
  }
  return os::call(SYS_ppoll, descriptors, count, deadline == os::never ? nullptr : &time, nullptr,
                  0);
}

}  // namespace

long poll(pollfd* descriptors, std::size_t count, os::Instant deadline) {
  fiber::Fiber& self = fiber::self();
  if (!be_away(self)) return poll_blocking(descriptors, count, deadline);
  Subscriptions subscriptions(self.runtime->poller(), descriptors, count);
  for (;;) {
    subscriptions.look();
    const long ready = poll_at_once(descriptors, count);
    const bool over = deadline != os::never && os::MonotonicClock::now() >= deadline;
    if (ready != 0 || over) return ready;
    if (subscriptions.subscribe()) {
      while (!subscriptions.any_woken() &&
             (deadline == os::never || os::MonotonicClock::now() < deadline)) {
        park(fiber::ParkKind::poll, descriptors, deadline);
      }
    }
    subscriptions.unsubscribe();
  }
}

}  // namespace weft::sched
