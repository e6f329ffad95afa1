// SPDX-License-Identifier: Apache-2.0
// The way home and back.
#include "arch/switch.h"
#include "os/futex.h"
#include "sched/runtime.h"
#include "sched/sites.h"
#include "sched/switching.h"
#include "sched/thread.h"

namespace weft::sched {

using fiber::Fiber;
using fiber::Place;

namespace {

// After the switch: the context is saved, and home may have it.
void summon(Fiber& fiber) noexcept {
  fiber.carrier.store(nullptr, std::memory_order_relaxed);
  fiber.door.summoned.store(1, std::memory_order_release);
  // The fiber may run from here on, and even be over: the word is only a name.
  os::futex_wake(fiber.door.summoned);
}

}  // namespace

void begin() noexcept {
  Fiber& self = fiber::self();
  if (!self.runtime->try_borrow(self)) leave_home();
}

bool be_away(Fiber& self) noexcept {
  if (self.is_leaving()) leave_home();
  return !self.is_home();
}

void go_home(const char* site) noexcept {
  Fiber& self = fiber::self();
  if (self.is_leaving()) self.runtime->give_back(self);
  if (self.is_home()) return;
  trips_home().count(site);
  self.place.store(Place::going_home, std::memory_order_relaxed);
  self.runtime->leave(self, summon);
  self.place.store(Place::at_home, std::memory_order_relaxed);
}

void leave_home() noexcept {
  Fiber& self = fiber::self();
  if (self.runtime == nullptr || !self.is_home()) return;
  if (self.is_leaving()) self.runtime->give_back(self);
  // Announced first, and saved after: once it is saved another may run it, and then nothing that
  // uses its thread-local storage may run here. Who takes it waits for `away`; see enter().
  self.runtime->make_ready(self);
  weft_leave_home(&self.context, &self.door);
  finish_switch(self);
}

}  // namespace weft::sched
