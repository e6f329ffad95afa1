// SPDX-License-Identifier: Apache-2.0
// weft_leave_home() in the `model` preset: a home that a schedule runs sleeps in the schedule.
//
// The same words in the same order as standard/leave_home.S. It is C++, on a frame made by hand
// that weft_switch() takes for an execution, because it calls whoever schedules the home: which
// reads the thread-local storage that the fiber uses elsewhere, and writes none of it.
#include <linux/futex.h>
#include <sys/syscall.h>

#include <cstring>

#include "arch/switch.h"
#include "arch/system_call.h"
#include "base/atomic.h"

namespace weft::arch {
namespace {

// On the door's stack, right below its top.
struct Asleep {
  const Context* fiber;
  Door* door;
  void* thread_pointer;
  bool scheduled;
  Context own;  // left for good once home is summoned
};

// Read as soon as the door's stack is entered: before `away`, so that it is still ours.
constinit thread_local Asleep* about_to_sleep = nullptr;

void sleep_in_schedule(Door& door) {
  door.away.store(1, std::memory_order_release);
  while (door.summoned.load(std::memory_order_acquire) == 0) {
    door.summoned.block_while(0, base::no_deadline);
  }
  door.summoned.store(0, std::memory_order_relaxed);
  door.away.store(0, std::memory_order_relaxed);
}

// Without weft::atomic: to look who schedules the thread would be to look at what is not ours.
void sleep_in_kernel(Door& door) {
  auto* const summoned = reinterpret_cast<std::uint32_t*>(&door.summoned);
  auto* const away = reinterpret_cast<std::uint32_t*>(&door.away);
  __atomic_store_n(away, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(summoned, __ATOMIC_ACQUIRE) == 0) {
    system_call(SYS_futex, reinterpret_cast<long>(summoned), FUTEX_WAIT_PRIVATE, 0);
  }
  __atomic_store_n(summoned, 0, __ATOMIC_RELAXED);
  __atomic_store_n(away, 0, __ATOMIC_RELAXED);
}

void sleep_at_door() {
  Asleep& asleep = *about_to_sleep;
  if (asleep.scheduled) {
    sleep_in_schedule(*asleep.door);
  } else {
    sleep_in_kernel(*asleep.door);
  }
  weft_switch(&asleep.own, asleep.fiber, asleep.thread_pointer);
}

}  // namespace

void weft_leave_home(Context* context, Door* door) noexcept {
  auto* const asleep = static_cast<Asleep*>(door->stack_top) - 1;
  *asleep = {.fiber = context,
             .door = door,
             .thread_pointer = thread_pointer(),
             .scheduled = base::atomic_scheduler != nullptr,
             .own = {}};
  about_to_sleep = asleep;
  // As if called: above the address to return to, of which there is none, is a multiple of 16.
  auto* const called_from = reinterpret_cast<std::uint64_t*>(
      (reinterpret_cast<std::uintptr_t>(asleep) & ~std::uintptr_t{15}) - 8);
  *called_from = 0;
  auto* const frame = reinterpret_cast<Frame*>(called_from) - 1;
  *frame = {};
  asm("stmxcsr %0" : "=m"(frame->sse_control));
  asm("fnstcw %0" : "=m"(frame->x87_control));
  frame->return_address = reinterpret_cast<std::uintptr_t>(&sleep_at_door);
  const Context at_door{.stack_pointer = frame};
  weft_switch(context, &at_door, asleep->thread_pointer);
}

}  // namespace weft::arch
