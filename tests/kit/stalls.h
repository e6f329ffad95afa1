// SPDX-License-Identifier: Apache-2.0
// Stalls: what the machine itself does at the same time: on each CPU a thread that does nothing but
// sleep for half a millisecond, and note how late it was woken. Nothing of ours is in its way; so
// what stops late while one of these is woken late has waited for a CPU.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace weft::kit {

class Stalls {
 public:
  using Clock = std::chrono::steady_clock;

  Stalls() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    ::sched_getaffinity(0, sizeof allowed, &allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &allowed)) threads_.emplace_back([this, cpu] { look(cpu); });
    }
  }
  ~Stalls() {
    ends_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Stalls(const Stalls&) = delete;
  Stalls& operator=(const Stalls&) = delete;

  // The longest that had a part in this time: of those that have ended, so ask a little later.
  std::chrono::nanoseconds longest(Clock::time_point from, Clock::time_point until) const {
    const std::scoped_lock guard(mutex_);
    std::chrono::nanoseconds most{0};
    for (const Stall& stall : stalls_) {
      if (stall.due < until && from < stall.woken) most = std::max(most, stall.woken - stall.due);
    }
    return most;
  }

 private:
  struct Stall {
    Clock::time_point due, woken;
  };
  static constexpr auto between_looks = std::chrono::microseconds(500);
  static constexpr auto worth_a_note = std::chrono::microseconds(200);

  void look(int cpu) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    ::pthread_setaffinity_np(::pthread_self(), sizeof only, &only);
    while (!ends_) {
      const auto due = Clock::now() + between_looks;
      std::this_thread::sleep_until(due);
      const auto woken = Clock::now();
      if (woken - due < worth_a_note) continue;
      const std::scoped_lock guard(mutex_);
      stalls_.push_back({due, woken});
    }
  }

  std::atomic<bool> ends_{false};
  mutable std::mutex mutex_;
  std::vector<Stall> stalls_;  // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace weft::kit
