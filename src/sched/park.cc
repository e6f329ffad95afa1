// SPDX-License-Identifier: Apache-2.0
// Parking: at home by a futex, elsewhere by running another fiber.
#include "sched/park.h"

#include <sys/syscall.h>

#include "os/futex.h"
#include "os/system_call.h"
#include "sched/outside_wakers.h"
#include "sched/runtime.h"
#include "sched/switching.h"
#include "sched/thread.h"

namespace weft::sched {

using fiber::Fiber;
using fiber::ParkKind;
using fiber::Permit;
using fiber::Place;

namespace {

// Somebody who yields in a loop waits for something, which may come from outside.
constexpr std::uint32_t yields_between_looks = 16;

// Takes the permit if it is there. Acquires what the unpark released.
bool take_permit(Fiber& self) noexcept {
  return self.permit.load(std::memory_order_relaxed) == Permit::given &&
         self.permit.exchange(Permit::none, std::memory_order_acquire) == Permit::given;
}

void park_home(Fiber& self, os::Instant deadline) noexcept {
  std::uint32_t expected = Permit::none;
  if (self.permit.compare_exchange_strong(expected, Permit::parked_home)) {
    self.place.store(Place::parked_home, std::memory_order_relaxed);
    while (self.permit.load(std::memory_order_acquire) == Permit::parked_home) {
      os::futex_wait(self.permit, Permit::parked_home, deadline);
      if (deadline != os::never && os::MonotonicClock::now() >= deadline) break;
    }
    self.place.store(Place::at_home, std::memory_order_relaxed);
  }
  // Whatever is there now, a permit or the word that we sleep, is taken away.
  self.permit.exchange(Permit::none, std::memory_order_acquire);
}

// After the switch: the context is saved, so whoever unparks may run the fiber from here on.
void stay_parked(Fiber& fiber) noexcept {
  std::uint32_t expected = Permit::none;
  if (fiber.permit.compare_exchange_strong(expected, Permit::parked)) return;
  fiber.permit.exchange(Permit::none, std::memory_order_acquire);  // unparked in between
  // Where all can see it: whoever runs here now has not woken it, and may run for long.
  fiber.runtime->make_ready_last(fiber);
}

void park_away(Fiber& self, ParkKind kind, os::Instant deadline) noexcept {
  Runtime& runtime = *self.runtime;
  Worker* worker = self.carried_by()->worker.load(std::memory_order_relaxed);
  if (worker == nullptr) worker = &runtime.worker_at(0);  // relieved: any timers will do
  worker->parks[static_cast<std::size_t>(kind)].add();
  if (deadline != os::never) {
    self.timer.worker = worker;
    if (worker->timers.add(self, deadline)) runtime.timer_added(deadline);
  }
  self.place.store(Place::parked, std::memory_order_relaxed);
  runtime.leave(self, stay_parked);
  if (deadline != os::never) self.timer.worker->timers.remove(self);
}

// At home, in a sleeper's place: the fiber leaves home by parking. The word comes first, and the
// context is saved after; who unparks and takes the fiber waits for `away`, see enter().
void park_leaving_home(Fiber& self, ParkKind kind, os::Instant deadline) noexcept {
  Runtime& runtime = *self.runtime;
  Worker& worker = runtime.worker_at(0);  // any timers will do
  worker.parks[static_cast<std::size_t>(kind)].add();
  if (deadline != os::never) {
    self.timer.worker = &worker;
    if (worker.timers.add(self, deadline)) runtime.timer_added(deadline);
  }
  runtime.give_back(self);
  self.place.store(Place::parked, std::memory_order_relaxed);
  std::uint32_t expected = Permit::none;
  if (self.permit.compare_exchange_strong(expected, Permit::parked)) {
    weft_leave_home(&self.context, &self.door);
    finish_switch(self);
  } else {
    self.permit.exchange(Permit::none, std::memory_order_acquire);  // unparked in between
    leave_home();
  }
  if (deadline != os::never) self.timer.worker->timers.remove(self);
}

void be_ready(Fiber& fiber) noexcept {
  fiber.runtime->make_ready_last(fiber);
}

void be_ready_again(Fiber& fiber) noexcept {
  fiber.runtime->make_ready_again(fiber);
}

}  // namespace

void park(ParkKind kind, const void* object, os::Instant deadline) noexcept {
  Fiber& self = fiber::self();
  if (take_permit(self)) return;
  self.park_kind.store(kind, std::memory_order_relaxed);
  self.waits_for.store(object, std::memory_order_relaxed);
  if (self.is_leaving()) {
    park_leaving_home(self, kind, deadline);
  } else if (self.is_home()) {
    park_home(self, deadline);
  } else {
    park_away(self, kind, deadline);
  }
  self.waits_for.store(nullptr, std::memory_order_relaxed);
}

void unpark(Fiber& thread) noexcept {
  OutsideWaker outside;
  std::uint32_t permit = thread.permit.load(std::memory_order_relaxed);
  for (;;) {
    if (permit == Permit::parked) outside.enter();
    const bool stopped = permit == Permit::parked || permit == Permit::parked_home;
    // Also where a permit is there already: the write orders what the waker did before against what
    // the thread looks at after it has taken the permit. A plain load would not (see the mutant).
    const std::uint32_t next = stopped ? Permit::none : Permit::given;
    if (thread.permit.compare_exchange_weak(permit, next)) break;
  }
  if (permit == Permit::parked) {
    thread.runtime->make_ready(thread);
  } else if (permit == Permit::parked_home) {
    os::futex_wake(thread.permit);
  }
}

void yield() noexcept {
  Fiber& self = fiber::self();
  // On a loan it goes on where it is, unless somebody waits for the place.
  if (self.is_leaving() && self.runtime->anything_to_share()) return leave_home();
  if (self.is_home()) {
    os::call(SYS_sched_yield);
    return;
  }
  Carrier& carrier = *self.carried_by();
  Worker* const worker = carrier.worker.load(std::memory_order_relaxed);
  if (worker != nullptr && !self.runtime->anything_for(carrier, *worker)) {
    worker->turns = worker->turns + 1;
    if (worker->turns % yields_between_looks != 0) return;
    worker->look_outside = true;
  }
  self.runtime->leave(self, be_ready);
}

void end_turn(Fiber& self) noexcept {
  Worker* const worker = self.carried_by()->worker.load(std::memory_order_relaxed);
  if (worker != nullptr) worker->look_outside = true;
  self.runtime->leave(self, be_ready_again);
}

void pin_to(Worker* worker) noexcept {
  Fiber& self = fiber::self();
  self.pinned = worker;
  if (worker == nullptr || !be_away(self)) return;
  if (self.carried_by()->worker.load(std::memory_order_relaxed) != worker) {
    self.runtime->leave(self, be_ready);
  }
}

}  // namespace weft::sched
