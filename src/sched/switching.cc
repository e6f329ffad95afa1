// SPDX-License-Identifier: Apache-2.0
// From fiber to fiber: who runs next, and what is done once the one before has stopped.
#include "sched/switching.h"
#include "os/backoff.h"
#include "os/check.h"
#include "sched/runtime.h"

namespace weft::sched {

using fiber::Fiber;
using fiber::Place;

namespace {

// How often in a row a worker runs what was just woken before it looks at its queue.
constexpr std::uint32_t most_turns_by_next = 3;
// And how often what only it may run, before the others have a turn.
constexpr std::uint32_t most_turns_by_pinned = 3;

}  // namespace

Fiber* Worker::take_local() noexcept {
  if (turns_by_pinned < most_turns_by_pinned) {
    if (Fiber* const fiber = pinned.pop()) {
      turns_by_pinned = turns_by_pinned + 1;
      return fiber;
    }
  }
  turns_by_pinned = 0;
  if (turns_by_next < most_turns_by_next && next.load(std::memory_order_relaxed) != nullptr) {
    // Acquires what make_ready() released; a thief may be faster.
    if (Fiber* const fiber = next.exchange(nullptr, std::memory_order_acq_rel)) {
      turns_by_next = turns_by_next + 1;
      return fiber;
    }
  }
  turns_by_next = 0;
  if (Fiber* const fiber = queue.pop()) return fiber;
  if (next.load(std::memory_order_relaxed) != nullptr) {
    if (Fiber* const fiber = next.exchange(nullptr, std::memory_order_acq_rel)) return fiber;
  }
  return pinned.pop();
}

void enter(Carrier& carrier, Fiber& fiber) noexcept {
  // A fiber that comes from home has been announced before its registers were saved.
  for (os::Backoff backoff; fiber.door.away.load(std::memory_order_acquire) == 0;) backoff.pause();
  fiber.carrier.store(&carrier, std::memory_order_relaxed);
  fiber.place.store(Place::running, std::memory_order_relaxed);
  carrier.running.store(&fiber, std::memory_order_release);  // pairs with Monitor::relieve()
  carrier.woke_next = false;
  carrier.calls_in_turn = 0;
  carrier.switches.store(carrier.switches.load(std::memory_order_relaxed) + 1,
                         std::memory_order_relaxed);
}

void switch_context(Carrier& carrier, arch::Context& from, const arch::Context& to,
                    void* thread_pointer) noexcept {
  carrier.handover.store(1, std::memory_order_release);
  weft_switch(&from, &to, thread_pointer);
}

void finish_switch(Fiber& self) noexcept {
  if (Carrier* const carrier = self.carried_by()) {
    return finish_switch(*carrier);
  }
  // At home. Pairs with the store in summon(), which home has seen in its own way.
  static_cast<void>(self.door.summoned.load(std::memory_order_acquire));
}

void finish_switch(Carrier& carrier) noexcept {
  static_cast<void>(carrier.handover.load(std::memory_order_acquire));
  if (carrier.after_switch == nullptr) return;
  const auto after = carrier.after_switch;
  carrier.after_switch = nullptr;
  after(*carrier.left);
}

void Runtime::leave(Fiber& self, void (*after)(Fiber&)) noexcept {
  Carrier& carrier = *self.carried_by();
  Worker* const worker = carrier.worker.load(std::memory_order_relaxed);
  Fiber* const next = worker == nullptr || carrier.attention.load(std::memory_order_relaxed) != 0
                          ? nullptr
                          : pick(carrier, *worker);
  carrier.after_switch = after;
  carrier.left = &self;
  if (next != nullptr) {
    worker->switches.add();
    enter(carrier, *next);
    switch_context(carrier, self.context, next->context, next->thread_pointer);
  } else {
    switch_context(carrier, self.context, carrier.own->context, carrier.own->thread_pointer);
  }
  finish_switch(self);  // perhaps on another kernel thread, perhaps at home
}

void Runtime::make_ready(Fiber& fiber) noexcept {
  fiber.place.store(Place::ready, std::memory_order_relaxed);
  if (fiber.pinned != nullptr) {
    Worker& worker = *fiber.pinned;
    worker.pinned.push(fiber);
    idle_.wake(worker.sleeper);
    // It may have retired before it could see the fiber. Pairs with the store in retire().
    if (worker.index != 0 && !worker.active.load(std::memory_order_seq_cst)) unpin(worker);
    return;
  }
  Fiber* const self = fiber::this_fiber;
  Carrier* const carrier = self == nullptr ? nullptr : self->carried_by();
  Worker* const worker = carrier == nullptr || carrier->runtime != this
                             ? nullptr
                             : carrier->worker.load(std::memory_order_relaxed);
  if (worker == nullptr) return inject(fiber);
  if (self == carrier->own) {
    // From the idle context, or on the way between two fibers.
    worker->queue.push(fiber);
    if (!carrier->searching) idle_.notify();
    rescue(*carrier, *worker);
    return;
  }
  carrier->woke_next = true;
  if (Fiber* const displaced = worker->put_next(fiber)) {
    worker->queue.push(*displaced);
    idle_.notify();
  } else if (self->wakes_then_parks < sure_to_park) {
    idle_.notify();
  }
  // The monitor may have taken the worker before we put the fiber there, and its successor may be
  // asleep by now. Pairs with the compare-and-swap in Monitor::relieve().
  if (carrier->phase.load(std::memory_order_seq_cst) == Phase::relieved) {
    Fiber* const stranded = worker->next.exchange(nullptr, std::memory_order_acq_rel);
    if (stranded != nullptr) inject(*stranded);
  }
}

void Runtime::unpin(Worker& worker) noexcept {
  RunQueue::Chain pinned = worker.pinned.take_all();
  while (Fiber* const fiber = pinned.pop()) {
    fiber->pinned = &workers_[0];
    make_ready(*fiber);
  }
}

void Runtime::make_ready_last(Fiber& fiber) noexcept {
  fiber.place.store(Place::ready, std::memory_order_relaxed);
  Fiber* const self = fiber::this_fiber;
  Carrier* const carrier = self->carried_by();
  Worker* const worker =
      carrier == nullptr ? nullptr : carrier->worker.load(std::memory_order_relaxed);
  if (worker == nullptr || fiber.pinned != nullptr) return make_ready(fiber);
  worker->queue.push(fiber);
  if (!carrier->searching) idle_.notify();
  rescue(*carrier, *worker);
}

void Runtime::make_ready_again(Fiber& fiber) noexcept {
  Carrier* const carrier = fiber::this_fiber->carried_by();
  Worker* const worker =
      carrier == nullptr ? nullptr : carrier->worker.load(std::memory_order_relaxed);
  // Alone in the queue it is run by whoever looks there next, which is us: nobody need be woken.
  const bool is_left_to_us = worker != nullptr && fiber::this_fiber == carrier->own &&
                             fiber.pinned == nullptr && worker->queue.empty();
  if (!is_left_to_us) return make_ready_last(fiber);
  fiber.place.store(Place::ready, std::memory_order_relaxed);
  worker->queue.push(fiber);
  rescue(*carrier, *worker);
}

// Pairs with the compare-and-swap in Monitor::relieve(), as in make_ready().
void Runtime::rescue(const Carrier& carrier, Worker& worker) noexcept {
  if (carrier.phase.load(std::memory_order_seq_cst) != Phase::relieved) return;
  RunQueue::Chain stranded = worker.queue.take_all();
  while (Fiber* const fiber = stranded.pop()) inject(*fiber);
}

void Runtime::inject(Fiber& fiber) noexcept {
  injected_.push(fiber);
  idle_.notify();
}

}  // namespace weft::sched
