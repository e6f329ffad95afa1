// SPDX-License-Identifier: Apache-2.0
// poll(): one fiber waits for many descriptors.
#include <sys/syscall.h>

#include <memory>

#include "os/poll_now.h"
#include "os/system_call.h"
#include "os/timespec.h"
#include "sched/interrupt.h"
#include "sched/io.h"
#include "sched/park.h"

namespace weft::sched {
namespace {

// One subscription for each descriptor that is not negative.
struct Subscription {
  PollWaiter waiter;
  Edge before;
  bool closed = false;  // since the first look
};

constexpr std::size_t most_on_stack = 8;

class Subscriptions {
 public:
  Subscriptions(Poller& poller, pollfd* descriptors, std::size_t count)
      : poller_(poller), descriptors_(descriptors), count_(count) {
    if (count > most_on_stack) many_ = std::make_unique<Subscription[]>(count);
  }

  void look() {
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint32_t generation = at(i).before.generation;
      at(i).before = poller_.look_both(descriptors_[i].fd);
      at(i).closed = looked_ && at(i).before.generation != generation;
    }
    any_closed_ = false;
    for (std::size_t i = 0; i < count_; ++i) any_closed_ |= at(i).closed;
    looked_ = true;
  }

  // What poll(2) has said of the file that has the number now is not asked for.
  long without_closed(long ready) {
    if (!any_closed_ || ready < 0) return ready;
    ready = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (at(i).closed) descriptors_[i].revents = POLLNVAL;
      ready += descriptors_[i].revents != 0 ? 1 : 0;
    }
    return ready;
  }

  // timed_out: all are subscribed; no_room: one cannot be; otherwise an edge came in between, or
  // poll(2) must be asked again. Descriptors that epoll does not take never change, so poll(2) has
  // said all there is.
  Waited subscribe() {
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
        case Waited::no_room:
          return Waited::no_room;
        default:
          return Waited::ready;
      }
    }
    return Waited::timed_out;
  }

  bool any_woken() {
    for (std::size_t i = 0; i < count_; ++i) {
      if (at(i).waiter.state.load(std::memory_order_acquire) != PollWaiter::waiting) return true;
    }
    return false;
  }

  // Whether nothing can be ready: all are to be read from, and drained. Others must be asked for.
  // Urgent data and the end come with an edge, after which nothing is known to be drained.
  bool all_drained() {
    constexpr short reading = POLLIN | POLLRDNORM | POLLPRI | POLLRDBAND | POLLRDHUP;
    for (std::size_t i = 0; i < count_; ++i) {
      if (descriptors_[i].fd < 0) continue;
      if (!at(i).before.drained || (descriptors_[i].events & ~reading) != 0) return false;
    }
    return true;
  }

  // What the poller has told of a single descriptor is all there is to know; 0: ask.
  long answer_for_one() {
    if (count_ != 1 || at(0).waiter.state.load(std::memory_order_acquire) != PollWaiter::woken) {
      return 0;
    }
    descriptors_[0].revents = static_cast<short>(at(0).waiter.seen);
    return descriptors_[0].revents != 0 ? 1 : 0;
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
  bool looked_ = false;
  bool any_closed_ = false;
};

long poll_blocking(pollfd* descriptors, std::size_t count, os::Instant deadline) {
  const timespec time = os::timespec_of(deadline - os::MonotonicClock::now());
  return os::call(SYS_ppoll, descriptors, count, deadline == os::never ? nullptr : &time, nullptr,
                  0);
}

}  // namespace

long poll(pollfd* descriptors, std::size_t count, os::Instant deadline) {
  fiber::Fiber& self = fiber::self();
  if (!be_away(self)) return poll_blocking(descriptors, count, deadline);
  take_turns(self);
  Subscriptions subscriptions(self.runtime->poller(), descriptors, count);
  for (;;) {
    subscriptions.look();
    const long ready = subscriptions.all_drained()
                           ? 0
                           : subscriptions.without_closed(os::poll_now(descriptors, count));
    const bool over = deadline != os::never && os::MonotonicClock::now() >= deadline;
    if (ready != 0 || over) return ready;
    const Waited subscribed = subscriptions.subscribe();
    if (subscribed == Waited::timed_out) {
      while (!subscriptions.any_woken() && !is_interrupted(self) &&
             (deadline == os::never || os::MonotonicClock::now() < deadline)) {
        park(fiber::ParkKind::poll, descriptors, deadline);
      }
    }
    subscriptions.unsubscribe();
    if (const long told = subscriptions.answer_for_one(); told != 0) return told;
    if (is_interrupted(self)) return -EINTR;
    if (subscribed == Waited::no_room) {
      return at_home("poll", [&] { return poll_blocking(descriptors, count, deadline); });
    }
  }
}

}  // namespace weft::sched
