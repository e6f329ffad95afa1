// SPDX-License-Identifier: Apache-2.0
// WorkerTimes: how much of its time in jobs a worker was running, and how much it was blocked.
//
// The worker itself says when it is in a job, by times that it takes anyway. The monitor asks the
// kernel: the thread's CPU clock for the time that it ran (exact also while it runs), and
// /proc/self/task/ID/schedstat for the time that it waited in a queue of the kernel's. The kernel
// adds that only when the wait is over. So what is left of the time counts as blocked only when the
// thread is found asleep; while it is runnable it may still turn out to have waited for a CPU.
// A kernel without schedstat (gVisor's, for one) cannot tell the two apart: there a thread that is
// found asleep counts as blocked for the time since the last look, and no other. Where /proc does
// not answer at all, none ever does, and the pool grows only by BlockingScope.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/atomic.h"
#include "os/file.h"

namespace weft::pool {

// The second number of a schedstat file: nanoseconds that the thread waited for a CPU.
std::optional<std::chrono::nanoseconds> parse_delay(std::string_view schedstat) noexcept;
// Whether the text of a stat file tells of a thread that runs, or could.
bool is_runnable(std::string_view stat) noexcept;

class WorkerTimes {
 public:
  using nanoseconds = std::chrono::nanoseconds;

  WorkerTimes() noexcept = default;
  // For tests: as if the kernel called schedstat so.
  explicit WorkerTimes(const char* delay_file) noexcept : delay_file_(delay_file) {}

  // For the worker's thread. It is out of jobs at first.
  void begin_thread(std::uint32_t thread_id, nanoseconds now) noexcept;
  void begin_job(nanoseconds now) noexcept;
  void end_job(nanoseconds now) noexcept;

  // For the monitor.
  struct Seen {
    nanoseconds ran{0};
    nanoseconds blocked{0};
    bool in_jobs = false;  // at all, since the last look
  };
  Seen look(nanoseconds now);
  // Files are kept open from one look to the next, two at most; unless they are too many.
  bool has_files() const noexcept { return schedstat_.valid() || stat_.valid(); }
  void close_files() noexcept;

 private:
  static constexpr std::int64_t in_a_job = -1;
  nanoseconds time_outside(nanoseconds now) const noexcept;
  // What look() bounds: all since the last look.
  Seen look_back(nanoseconds now);

  // Written by the worker.
  atomic<std::uint32_t> thread_id_{0};
  atomic<std::int64_t> outside_since_{in_a_job};  // nanoseconds
  atomic<std::int64_t> outside_{0};               // of times that are over

  // The monitor's own.
  struct Counters {
    std::uint32_t thread_id = 0;
    nanoseconds now{0};
    nanoseconds outside{0};
    nanoseconds ran{0};
    nanoseconds delayed{0};
  };
  Counters last_;
  const char* const delay_file_ = "schedstat";
  nanoseconds owed_{0};  // neither running nor, as far as is known, waiting for a CPU
  os::Descriptor schedstat_;
  os::Descriptor stat_;
};

}  // namespace weft::pool
