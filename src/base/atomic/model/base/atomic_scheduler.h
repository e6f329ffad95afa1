// SPDX-License-Identifier: Apache-2.0
// What the model checker's atomic asks of a deterministic scheduler; model::Execution is one.
//
// base cannot know src/model, which stands above it: the atomic speaks to this interface, and finds
// who implements it in a thread-local pointer that the scheduler sets on the threads it runs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace weft::base {

enum class AtomicOperation : std::uint8_t {
  load,
  store,
  exchange,
  compare_exchange,
  fetch_add,
  fetch_sub,
  fetch_and,
  fetch_or,
  fetch_xor,
  fence,
  wait,
  notify_one,
  notify_all,
  wake,
};

// A point on the clock of a schedule, in nanoseconds.
using ScheduleTime = std::int64_t;
inline constexpr ScheduleTime no_deadline = std::numeric_limits<ScheduleTime>::max();

// A value as a trace shows it.
struct AtomicValue {
  std::uint64_t bits = 0;   // the first eight bytes
  bool is_pointer = false;  // differs from run to run: shown by the order of appearance
};

// A store that may reach memory later. `write` does it, at most once, with the bytes of the value.
struct AtomicStore {
  static constexpr std::size_t largest_bytes = 16;

  void* cell = nullptr;
  const void* value = nullptr;
  std::size_t bytes = 0;
  void (*write)(void* cell, const void* value) = nullptr;
  AtomicValue shown;
};

// Contract: called only by the thread whose turn it is. A call that takes turns returns when the
// turn has come back to its caller, or never, where the schedule has failed; none of them throws.
class AtomicScheduler {
 public:
  // Ends the turn that the thread has and takes the next, in which the operation is performed. The
  // thread's delayed stores are in memory where the operation demands it (see model.h).
  virtual void take_turn(AtomicOperation operation, const void* cell, std::memory_order order) = 0;

  // Lets others go first.
  virtual void yield() = 0;

  // The value of this thread's newest store to the cell that has not reached memory; or nullptr.
  virtual const void* delayed_value(const void* cell) const = 0;

  // Takes a store over, to be written later; false: it is the caller's to write, now.
  virtual bool delay(const AtomicStore& store, std::memory_order order) = 0;

  // Blocks until wake() has chosen this thread, or the deadline is over: then the clock says so.
  virtual void block_on(const void* cell, ScheduleTime deadline) = 0;

  // Wakes so many of those that are blocked on the cell. It may be gone: here it is only a name.
  virtual void wake(const void* cell, std::size_t count) = 0;

  // The cell's life is over; its address may come to mean another one.
  virtual void forget(const void* cell) = 0;

  // For the trace: what the operation of this turn has read and written.
  virtual void note_read(AtomicValue value) = 0;
  virtual void note_written(AtomicValue value) = 0;

 protected:
  AtomicScheduler() = default;
  ~AtomicScheduler() = default;
  AtomicScheduler(const AtomicScheduler&) = delete;
  AtomicScheduler& operator=(const AtomicScheduler&) = delete;
};

// Who schedules this thread; nullptr: the kernel, as anywhere else.
inline constinit thread_local AtomicScheduler* atomic_scheduler = nullptr;

// The clock of the schedule that this thread runs a part of, be it what comes before or after the
// scheduled threads; nullptr: the kernel's.
inline constinit thread_local const ScheduleTime* schedule_time = nullptr;

}  // namespace weft::base
