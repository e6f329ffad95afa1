// SPDX-License-Identifier: Apache-2.0
// Worker and Carrier: the right to run fibers, and the kernel thread that makes use of it.
//
// There are as many workers as CPUs in the budget. A worker is data: queues, timers, counters. A
// carrier is a kernel thread, and holds one worker or is spare. They are apart so that a carrier
// that is stuck in a system call can be relieved: the worker, with all that stands in its queues,
// goes to a spare carrier; the stuck one keeps its fiber until the fiber stops, and is spare then.
//
// Phases of a carrier
//   spare     --is given a worker-->                        idle
//   idle      --switches to a fiber-->                      in_fiber
//   in_fiber  --the fiber stops and there is no other-->    idle
//   in_fiber  --the monitor takes the worker-->             relieved
//   relieved  --the fiber stops-->                          spare
//   idle      --the worker is one too many (resize)-->      spare
// in_fiber is left by compare-and-swap only, from both sides: the monitor or the carrier has it.
//
// Everything in a worker can be touched by two carriers for a moment, the one that was relieved and
// does not know it yet, and its successor: queues and timers have locks, the rest are hints.
#pragma once

#include <cstdint>

#include "base/atomic.h"
#include "fiber/fiber.h"
#include "sched/idle_workers.h"
#include "sched/run_queue.h"
#include "sched/timers.h"

namespace weft::sched {

class Runtime;

// Counted by who does it, with a load and a store: two at once may lose one.
class Counter {
 public:
  void add(std::uint64_t count = 1) noexcept {
    value_.store(value() + count, std::memory_order_relaxed);
  }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  atomic<std::uint64_t> value_{0};
};

// Something that is nearly always one carrier's, and may be a little wrong.
template <class T>
class Hint {
 public:
  operator T() const noexcept { return value_.load(std::memory_order_relaxed); }        // NOLINT
  void operator=(T value) noexcept { value_.store(value, std::memory_order_relaxed); }  // NOLINT

 private:
  atomic<T> value_{};
};

struct alignas(128) Worker {
  std::uint32_t index = 0;

  RunQueue queue;
  atomic<fiber::Fiber*> next{nullptr};  // runs before the queue: just woken by the running fiber
  RunQueue pinned;                      // runs here only
  Timers timers;
  Sleeper sleeper;
  atomic<bool> active{false};                // a carrier holds it, or is about to
  atomic<bool> unmanned{false};              // or would, if the system had a thread left for it
  atomic<struct Carrier*> carrier{nullptr};  // which one; for who wants its attention

  // Hints of whoever holds it.
  Hint<std::uint32_t> turns;
  Hint<std::uint32_t> turns_by_next;
  Hint<std::uint32_t> turns_by_pinned;
  Hint<bool> look_outside;  // before the next fiber: poller, timers, injected fibers

  Counter switches, steals, stolen_fibers, polls, timers_fired;
  Counter parks[fiber::park_kinds];

  // The fiber to run now, of those that stand here; nullptr: none.
  fiber::Fiber* take_local() noexcept;
  // Puts a fiber where it runs next. Answers who stood there.
  fiber::Fiber* put_next(fiber::Fiber& fiber) noexcept {
    return next.exchange(&fiber, std::memory_order_seq_cst);
  }
};

// in_fiber stands for the first worker, and what follows it for the others: a carrier may leave a
// worker and get another one while the monitor looks.
enum class Phase : std::uint32_t { spare, idle, relieved, in_fiber };
constexpr Phase in_fiber_of(const Worker& worker) {
  return static_cast<Phase>(static_cast<std::uint32_t>(Phase::in_fiber) + worker.index);
}

struct alignas(128) Carrier {
  Runtime* runtime = nullptr;
  fiber::Fiber* own = nullptr;  // the record of the kernel thread: its idle context

  atomic<Phase> phase{Phase::spare};
  atomic<Worker*> worker{nullptr};
  atomic<std::uint32_t> attention{0};  // 1: come to the idle context at the next switch; a hint

  // Released by the context that is left, acquired by the one that is entered. They are on the same
  // kernel thread, so it costs nothing and the machine does not need it; but each fiber is a thread
  // to the language, and to ThreadSanitizer.
  atomic<std::uint32_t> handover{0};

  // Owned by the carrier, whichever context it is in.
  bool searching = false;           // counted in IdleWorkers
  bool woke_next = false;           // the running fiber has filled Worker::next
  std::uint32_t calls_in_turn = 0;  // of the running fiber, that did not have to wait
  std::uint32_t random = 1;
  void (*after_switch)(fiber::Fiber&) = nullptr;
  fiber::Fiber* left = nullptr;  // the argument of after_switch

  // Written by the carrier, read by the monitor.
  atomic<fiber::Fiber*> running{nullptr};
  atomic<std::uint64_t> switches{0};

  bool relieved_asleep = false;  // written by the monitor before it takes the worker

  // Guarded by Runtime::spares_lock_, but for the word.
  atomic<std::uint32_t> spare_word{0};  // 1: look at `worker`, or leave
  Carrier* next_spare = nullptr;
  Carrier* next_made = nullptr;  // constant: every record there is, until the runtime ends
  bool ended = false;            // has no kernel thread: the record may be used again
};

}  // namespace weft::sched
