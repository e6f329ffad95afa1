// SPDX-License-Identifier: Apache-2.0
// Fiber: a thread of the program, whose execution is carried by one kernel thread or another.
//
// Concepts
//   thread     what the program made: an identity with thread-local storage, a stack, a thread id
//   home       the kernel thread that libc made for it. It gives the thread its identity, and
//              otherwise sleeps, on a small stack that is not the thread's
//   fiber      the thread's execution: the registers that are saved while nobody runs it
//   carrier    a kernel thread of the scheduler, that runs fibers: it jumps onto the fiber's stack
//              and takes the fiber's thread pointer, so that all thread-local storage is right
//   worker     the right to run fibers, of which there are as many as CPUs in the budget; a carrier
//              holds one, and loses it when it is stuck (see sched/DESIGN.md)
//   ready      wants to run, and stands in a queue
//   park       the fiber stops until it is unparked, or a deadline is over (see sched/park.h)
//   go home    the fiber is continued by its own home, as any thread natively is
// A thread that libc made without our doing has a record too, from the first time it waits: a fiber
// that never leaves home. So whoever waits is a Fiber, and there is one way to wake it.
//
// Where a fiber is
//   at_home      --leaves home-->                 ready
//   at_home      --parks, and was to leave home anyway-->  parked
//   ready        --a carrier takes it-->          running
//   running      --yields-->                      ready
//   running      --parks-->                       parked       (if no permit is there)
//   parked       --unpark, or the timer-->        ready
//   running      --goes home-->                   going_home
//   going_home   --home has woken-->              at_home
//   at_home      --parks-->                       parked_home  (if no permit is there)
//   parked_home  --unpark, or the deadline-->     at_home
//   at_home      --the thread's function is over, everything else is libc's--> finished
// `place` says so for people and tools. What decides is elsewhere: `permit` for parking, being in a
// queue for ready, `summoned` and `away` for home; each has one word and one writer at a time.
//
// Invariants
//   - A fiber's stack and saved registers belong to exactly one kernel thread: to its carrier while
//     running, to home at home, to nobody while ready or parked.
//   - Code after a switch assumes nothing about the kernel thread: `carrier` is read anew, and
//     nullptr means home.
//   - Records are never given back to the system. A late unpark finds a record that is another
//     thread's by then, and leaves a permit there: every wait is a loop, so it costs one more turn.
//
// Rejected: contexts of our own making, on stacks of our own. The home's stack has libc's
// start_thread at its bottom: unwinding, exit, cancellation and stack bounds are right by
// themselves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/switch.h"
#include "base/atomic.h"
#include "os/clock.h"

namespace weft::sched {
class Runtime;
struct Carrier;
struct Worker;
}  // namespace weft::sched

namespace weft::fiber {

enum class Place : std::uint8_t {
  at_home,
  ready,
  running,
  parked,
  going_home,
  parked_home,
  finished,
  free,  // the record is nobody's
};

// What a parked fiber waits for; statistics count by it.
enum class ParkKind : std::uint8_t {
  mutex,
  condition,
  rwlock,
  semaphore,
  barrier,
  once,
  futex,
  join,
  sleep,
  read,
  write,
  poll,
  file,
  other,
};
inline constexpr std::size_t park_kinds = static_cast<std::size_t>(ParkKind::other) + 1;
const char* name_of(ParkKind kind) noexcept;
const char* name_of(Place place) noexcept;

// The permit: whether the next park returns at once, and if it does not, who must be woken how.
//   none         --unpark-->  given              (kept for the next park)
//   none         --park-->    parked             (away: after the context is saved; the one who
//                                                 changes it back owns the fiber, and makes it
//                                                 ready)
//   none         --park-->    parked_home        (the home sleeps on this very word)
//   given        --park-->    none               (without stopping)
//   parked       --unpark-->  none               (and ready)
//   parked_home  --unpark-->  none               (and a futex call)
struct Permit {
  static constexpr std::uint32_t none = 0;
  static constexpr std::uint32_t given = 1;
  static constexpr std::uint32_t parked = 2;
  static constexpr std::uint32_t parked_home = 3;
};

// How a thread that has just begun is at home.
//   none      --begins, and a worker sleeps-->              borrowed
//   borrowed  --waits, lets others go first, or ends-->     none      (gives the place back)
//   borrowed  --sleeps in the kernel while others wait-->   called_in (the monitor gives it back)
//   called_in --waits, lets others go first, or ends-->     none
enum class Loan : std::uint8_t { none, borrowed, called_in };

struct Fiber;

// A parked fiber's place among a worker's timers; guarded by their lock, but for `worker`.
struct TimerEntry {
  os::Instant deadline = os::never;
  Fiber* child = nullptr;     // the first of those with later deadlines
  Fiber* sibling = nullptr;   // the next of them
  Fiber* previous = nullptr;  // whose child or sibling this is
  bool present = false;
  sched::Worker* worker = nullptr;  // whose timers; the fiber's own, written before it parks
};

// Aligned so that two fibers never share a line of the cache.
struct alignas(128) Fiber {
  // Atomic; see Permit.
  atomic<std::uint32_t> permit{Permit::none};

  // Who runs it; nullptr: home, or nobody. Written by who switches to it, right before. The order
  // is that of Carrier::handover.
  atomic<sched::Carrier*> carrier{nullptr};

  // Whether it runs at home in place of a worker; see sched/thread.h. The loan may be called in.
  atomic<Loan> loan{Loan::none};

  // What others want of it while it waits; see sched/interrupt.h.
  atomic<std::uint32_t> interrupts{0};

  // The program's signals, for whoever plays the kernel's part; bit n - 1 is signal n.
  struct Signals {
    // Written by the thread itself; all, until it has said which.
    atomic<std::uint64_t> blocked{~std::uint64_t{0}};
    atomic<std::uint64_t> pending{0};    // sent to this thread, and not yet handled
    atomic<bool> open_to_kernel{false};  // home has the program's mask: the kernel may interrupt it
  } signals;

  // Written by who moves the fiber, read by anybody for show.
  atomic<Place> place{Place::free};
  atomic<ParkKind> park_kind{ParkKind::other};
  atomic<const void*> waits_for{nullptr};

  // Owned by whoever holds the fiber: the queue it stands in, the carrier that runs it, home.
  Fiber* next = nullptr;              // in that queue
  arch::Context context;              // while nobody runs it
  sched::Worker* pinned = nullptr;    // the only worker that may run it; nullptr: any
  std::uint8_t wakes_then_parks = 0;  // see sched/switching.h

  // Constant from adoption to the end.
  sched::Runtime* runtime = nullptr;  // nullptr: a thread that never leaves home
  void* thread_pointer = nullptr;
  atomic<std::uint32_t> id{0};  // home's kernel thread id, by which locks know their owner

  // The door between home and the rest; see home.h.
  arch::Door door;

  TimerEntry timer;

  // Guarded by the table's lock; see table.h.
  Fiber* next_free = nullptr;

  // The fiber's own question: who runs me now? Asked anew after every switch.
  sched::Carrier* carried_by() const noexcept { return carrier.load(std::memory_order_relaxed); }
  bool is_home() const noexcept { return carried_by() == nullptr; }
  // At home, but on its way: it leaves when it has to wait.
  bool is_leaving() const noexcept { return loan.load(std::memory_order_relaxed) != Loan::none; }
};

// The record of the calling thread, if it has one.
inline thread_local constinit Fiber* this_fiber __attribute__((tls_model("initial-exec"))) =
    nullptr;

Fiber& make_self() noexcept;

// The record of the calling thread, made on first use.
inline Fiber& self() noexcept {
  Fiber* const known = this_fiber;
  return known != nullptr ? *known : make_self();
}

}  // namespace weft::fiber
