// SPDX-License-Identifier: Apache-2.0
// ClassicCrew: the policies on the bounded queue: `fixed`, and the original's two that adapt.
//
// A worker pops, runs and, unless the pool is fixed, looks whether it was told to retire. The size
// is set by the dials (dials.h): with `adaptive_inline` on every submit, under a lock, by whoever
// submits; with `adaptive_monitor` every 100 ms by a thread of its own. Both start threads at once,
// and shrink lazily: a worker that is too many finishes its job first, and one that sleeps in pop()
// sleeps on until it has had another one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

#include <weft/bounded_queue.h>

#include "base/atomic.h"
#include "pool/crew.h"
#include "pool/recent_average.h"

namespace weft::pool {

class ClassicCrew final : public Crew {
 public:
  explicit ClassicCrew(PoolOptions options);
  ~ClassicCrew() override;

  Submitted submit(Job& job, bool waits, const CancelToken& token) noexcept override;
  void close() noexcept override;
  void drain() noexcept override;
  // Only told on: how many workers there are, these ways decide without it.
  void set_cpus(std::uint32_t cpus) noexcept override {
    cpus_.store(cpus, std::memory_order_relaxed);
  }
  PoolCounters counters() const override;

 private:
  struct Worker {
    std::thread thread;
    atomic<bool> retire{false};
    atomic<bool> finished{false};
  };

  void work(Worker& worker);
  // With size_lock_ held: as many workers as the dials say.
  void scale();
  bool start_worker();
  void watch();

  BoundedQueue<Job*> queue_;
  atomic<std::uint32_t> cpus_;
  RecentAverage latency_;  // waiting and handling, of the last jobs
  mutable std::mutex size_lock_;
  std::list<Worker> workers_;      // guarded by size_lock_; those that retire among them
  std::uint32_t size_ = 0;         // guarded by size_lock_; without those
  bool closed_ = false;            // guarded by size_lock_
  std::condition_variable ended_;  // with size_lock_: the monitor's sleep
  std::thread monitor_;
};

}  // namespace weft::pool
