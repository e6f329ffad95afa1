// SPDX-License-Identifier: Apache-2.0
// Watchdog: where there is no progress for too long, says where every fiber and worker is, and
// aborts.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "sched/runtime.h"

namespace weft::stress {

class Watchdog {
 public:
  // The patience is for a machine that is busy with other things, too: what is watched makes
  // progress every few microseconds.
  Watchdog(sched::Runtime& runtime, std::string what, int patience_seconds = 30);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void progress() noexcept { progress_.fetch_add(1, std::memory_order_relaxed); }

 private:
  void watch();

  sched::Runtime& runtime_;
  const std::string what_;
  const int patience_seconds_;
  std::atomic<std::uint64_t> progress_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Writes to stderr where everybody is: every worker and, of the fibers, the first few hundred.
void dump(sched::Runtime& runtime);

}  // namespace weft::stress
