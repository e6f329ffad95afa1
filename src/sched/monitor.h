// SPDX-License-Identifier: Apache-2.0
// Monitor: a kernel thread that looks after the workers, so that nobody hangs.
//
// A fiber may stop its carrier in ways that are not ours to see: a lock inside libc, an inline
// system call, a page fault, a loop. The monitor looks at every carrier once a tick; one that has
// not switched since is watched. When no worker is free, and
//   - it sleeps in the kernel, for longer than patience_asleep: its worker goes to a spare carrier;
//   - it runs, for longer than patience_running of its own CPU time, while others are ready: the
//     same, and the kernel shares the CPU between the two.
// The carrier keeps its fiber, and is spare when the fiber stops. Each call site is recorded once.
// Before that, a fiber that keeps others waiting is asked to give way at its next call
// (give_way()): its files may all be in the cache. Relieved carriers are limited: beyond the limit
// they wait, and are counted.
//
// It also does what a busy worker leaves undone: fibers in Worker::next while others sleep, and the
// poller and timers when nobody is there for them.
//
// It looks less often while all compute and nothing changes, as each look takes a CPU from one of
// them. It sleeps for good while everybody does: the first worker that gets up wakes it.
#pragma once

#include <pthread.h>

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/atomic.h"
#include "fiber/apart.h"
#include "os/clock.h"
#include "sched/statistics.h"
#include "sched/stuck_calls.h"
#include "sched/worker.h"

namespace weft::sched {

class Runtime;

struct MonitorOptions {
  std::chrono::nanoseconds tick = std::chrono::milliseconds{2};
  std::chrono::nanoseconds patience_asleep = std::chrono::milliseconds{5};
  std::chrono::nanoseconds patience_running = std::chrono::milliseconds{50};
  std::uint32_t most_relieved_asleep = 4096;
  std::uint32_t most_relieved_running = 64;
  // Whether there is a page that other processes can read; see statistics.h.
  bool publish = false;
};

class Monitor {
 public:
  Monitor(Runtime& runtime, const MonitorOptions& options);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  // Called by a worker that gets up.
  void somebody_is_up() noexcept {
    if (asleep_.load(std::memory_order_relaxed) != 0) wake();
  }

  // The process ends, and this does not: nothing is left of it in the file system.
  void withdraw_page() noexcept {
    if (statistics_ != nullptr) statistics_->withdraw();
  }

  const StuckCalls& stuck_calls() const noexcept { return stuck_calls_; }
  std::uint64_t relieved() const noexcept { return relieved_.value(); }
  // How often a carrier should have been relieved, and there were too many already.
  std::uint64_t not_relieved() const noexcept { return not_relieved_.value(); }

 private:
  // What was seen of a worker's carrier, and since when it has not changed.
  struct Seen {
    Carrier* carrier = nullptr;
    std::uint64_t switches = 0;
    os::Instant since;
    std::chrono::nanoseconds cpu_time_before{-1};  // that its thread had used; negative: not asked
    std::chrono::nanoseconds cpu_time{-1};
    fiber::Fiber* next = nullptr;
  };

  static void* main(void* self);
  void run();
  void wake() noexcept;
  // Sleeps a tick, or until somebody is up.
  void sleep(bool all_asleep);
  bool everybody_sleeps() noexcept;
  void look_after_loans(os::Instant now);
  void look_after(Worker& worker, Seen& seen, os::Instant now);
  void attend_outside();
  bool is_asleep(std::uint32_t thread_id) noexcept;
  void relieve(Worker& worker, Carrier& carrier, bool asleep_in_kernel);

  Runtime& runtime_;
  const MonitorOptions options_;
  pthread_t thread_{};
  atomic<std::uint32_t> asleep_{0};  // 1: sleeps until it is woken
  atomic<bool> stopping_{false};
  std::unique_ptr<Seen[]> seen_;
  std::uint32_t quiet_ticks_ = 0;
  std::uint32_t still_looks_ = 0;  // at which all were in the fibers they had been in before
  os::Instant loans_disputed_since_ = os::MonotonicClock::now();
  std::uint64_t polls_seen_ = 0;
  Counter relieved_, not_relieved_;
  fiber::Apart reader_;  // of what /proc says of threads
  StuckCalls stuck_calls_;
  std::unique_ptr<Statistics> statistics_;
  os::Instant next_update_ = os::Instant::min();
};

}  // namespace weft::sched
