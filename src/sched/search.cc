// SPDX-License-Identifier: Apache-2.0
// Where a worker finds its next fiber.
#include <algorithm>

#include "arch/system_call.h"
#include "sched/park.h"
#include "sched/poller.h"
#include "sched/runtime.h"
#include "sched/switching.h"

namespace weft::sched {

using fiber::Fiber;

namespace {

// A worker that never runs out of fibers looks at the outside world every so many turns.
constexpr std::uint32_t turns_between_looks = 64;
// And takes what was made ready from outside: that costs a load where there is nothing.
constexpr std::uint32_t turns_between_injected = 8;

// How long to search before lying down. Longer than it takes a home to start or end, and than most
// answers from another core; short against the cost of sleeping and being woken.
constexpr auto search_time = std::chrono::microseconds{20};
constexpr std::uint32_t rounds_between_polls = 16;
// What another worker's fiber has just woken is left to that worker for so many rounds.
constexpr std::uint32_t rounds_before_taking_next = 8;

std::uint32_t next_random(std::uint32_t& state) noexcept {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

}  // namespace

Fiber* Runtime::pick(Carrier& carrier, Worker& worker) noexcept {
  if (carrier.woke_next) {
    Fiber& stopped = *carrier.running.load(std::memory_order_relaxed);
    const bool still_there = worker.next.load(std::memory_order_relaxed) != nullptr;
    stopped.wakes_then_parks =
        still_there ? std::min<std::uint8_t>(
                          static_cast<std::uint8_t>(stopped.wakes_then_parks + 1), sure_to_park)
                    : std::uint8_t{0};
    carrier.woke_next = false;
  }
  worker.turns = worker.turns + 1;
  if (worker.turns % turns_between_looks == 0) worker.look_outside = true;
  if (worker.look_outside) {
    // Polling takes room on the stack and may take long: not on a fiber's.
    if (fiber::this_fiber != carrier.own) return nullptr;
    worker.look_outside = false;
    poll_now(worker);
    fire_timers(worker);
    if (Fiber* const fiber = take_injected(carrier, worker)) return fiber;
  }
  if (worker.turns % turns_between_injected == 0) {
    if (Fiber* const fiber = take_injected(carrier, worker)) return fiber;
  }
  if (Fiber* const fiber = worker.take_local()) return fiber;
  return take_injected(carrier, worker);
}

Fiber* Runtime::take_injected(Carrier& carrier, Worker& worker) noexcept {
  RunQueue::Chain chain = injected_.take_all();
  Fiber* const first = chain.pop();
  if (chain.first == nullptr) return first;
  worker.queue.push(chain);
  if (!carrier.searching) idle_.notify();
  return first;
}

Fiber* Runtime::search(Carrier& carrier, Worker& worker) noexcept {
  const bool alone = target_.load(std::memory_order_relaxed) == 1;
  const os::Instant end = alone ? os::Instant::min() : os::MonotonicClock::now() + search_time;
  for (std::uint32_t round = 0;; ++round) {
    // The only worker is about to sleep in the poller, where it sees all of that by the same call.
    if (!alone && round % rounds_between_polls == 0) {
      poll_now(worker);
      fire_timers(worker);
    }
    if (Fiber* const fiber = worker.take_local()) return fiber;
    if (Fiber* const fiber = take_injected(carrier, worker)) return fiber;
    if (Fiber* const fiber = steal(carrier, worker, round >= rounds_before_taking_next)) {
      return fiber;
    }
    if (alone || os::MonotonicClock::now() >= end) return nullptr;
    for (int i = 0; i < 8; ++i) arch::relax();
  }
}

Fiber* Runtime::steal(Carrier& carrier, Worker& worker, bool also_next) noexcept {
  const std::uint32_t count = made_.load(std::memory_order_acquire);
  const std::uint32_t start = next_random(carrier.random);
  for (std::uint32_t i = 0; i < count; ++i) {
    Worker& victim = workers_[(start + i) % count];
    if (&victim == &worker) continue;
    RunQueue::Chain stolen = victim.queue.steal();
    if (Fiber* const fiber = stolen.pop()) {
      worker.steals.add();
      worker.stolen_fibers.add(stolen.length + 1);
      worker.queue.push(stolen);
      return fiber;
    }
    if (!also_next || victim.next.load(std::memory_order_relaxed) == nullptr) continue;
    if (Fiber* const fiber = victim.next.exchange(nullptr, std::memory_order_acq_rel)) {
      worker.steals.add();
      worker.stolen_fibers.add();
      return fiber;
    }
  }
  return nullptr;
}

bool Runtime::anything_to_share() noexcept {
  if (!injected_.empty()) return true;
  const std::uint32_t count = made_.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!workers_[i].queue.empty()) return true;
  }
  return false;
}

bool Runtime::anything_ready(const Worker& worker) noexcept {
  return anything_to_share() || !worker.pinned.empty() ||
         worker.next.load(std::memory_order_relaxed) != nullptr;
}

bool Runtime::anything_for(const Carrier& carrier, const Worker& worker) noexcept {
  return carrier.attention.load(std::memory_order_relaxed) != 0 || !worker.queue.empty() ||
         !injected_.empty() || !worker.pinned.empty() ||
         worker.next.load(std::memory_order_relaxed) != nullptr;
}

void Runtime::poll_now(Worker& worker) noexcept {
  if (!idle_.try_take_poller()) return;
  os::Epoll::Event events[os::Epoll::most_events];
  const std::size_t count = epoll_.wait(events, os::Instant::min());
  idle_.give_back_poller();
  worker.polls.add();
  poller_->deliver(events, count);
  files_.reap();
}

void Runtime::fire_timers(Worker& worker) noexcept {
  if (nearest_timer() == os::never) return;
  const os::Instant now = os::MonotonicClock::now();
  for_each_worker([&](Worker& other) {
    while (Fiber* const due = other.timers.take_due(now)) {
      worker.timers_fired.add();
      unpark(*due);
    }
  });
}

os::Instant Runtime::nearest_timer() noexcept {
  os::Instant nearest = os::never;
  for_each_worker([&](Worker& worker) { nearest = std::min(nearest, worker.timers.nearest()); });
  return nearest;
}

}  // namespace weft::sched
