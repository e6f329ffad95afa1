// SPDX-License-Identifier: Apache-2.0
// AdaptiveCrew: the policy `adaptive`: workers on a Dispatch, and a monitor that asks the
// Controller; and, where the CPU budget is a quota, the Ration.
//
// Submitting wakes workers and never starts any: threads are made by the monitor, ahead of need.
// Only the monitor starts, ends and joins threads, so the list of workers is its own; the
// constructor before it begins and drain() after it has ended are the exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "base/atomic.h"
#include "os/clock.h"
#include "pool/blocker.h"
#include "pool/controller.h"
#include "pool/crew.h"
#include "pool/dispatch.h"
#include "pool/ration_meter.h"
#include "pool/worker_times.h"

namespace weft::pool {

class AdaptiveCrew final : public Crew {
 public:
  explicit AdaptiveCrew(PoolOptions options);
  ~AdaptiveCrew() override;

  Submitted submit(Job& job, bool waits, const CancelToken& token) noexcept override;
  void close() noexcept override;
  void drain() noexcept override;
  void set_cpus(std::uint32_t cpus) noexcept override;
  void set_quota(const std::optional<budget::CpuQuota>& quota) override;
  PoolCounters counters() const override;

 private:
  class Worker final : public Blocker {
   public:
    explicit Worker(AdaptiveCrew& crew) noexcept : crew_(crew) {}
    void run();
    void block() noexcept override;
    void unblock() noexcept override;

    std::thread thread;
    WorkerTimes times;
    atomic<bool> ended{false};

   private:
    AdaptiveCrew& crew_;
    Seat seat_;
  };

  bool start_worker();
  void watch();
  // What the word says, without how the workers spent their time.
  Look glance(os::Instant now);
  Look see(os::Instant now);
  void put_back(std::list<Worker>& looked);
  // Of those that are not watched any more.
  void close_old_files();
  void follow(const Decision& decision);
  // How many of them it could start.
  std::uint32_t start_workers(std::uint32_t count);
  // Until the next look at the workers, jobs begin or are held back as the quota wants it.
  void ration_until(os::Instant next_look, const Decision& decision);
  RationAnswer ask_ration(os::Instant now);
  void follow_quota();
  // Starts threads meanwhile, if there are none for jobs that may run.
  void rest_until(os::Instant next_look);
  void join_ended();

  Dispatch dispatch_;
  Controller controller_;      // the monitor's own
  std::uint32_t looks_ = 0;    // the same
  std::list<Worker> workers_;  // the monitor's own; those that end among them
  atomic<std::uint32_t> cpus_;
  atomic<std::uint32_t> threads_{0};      // written by the monitor; without those that end
  atomic<std::uint32_t> blocked_{0};      // workers in a BlockingScope
  atomic<std::uint32_t> never_woken_{0};  // what the monitor naps on, when it wants to hear nothing
  os::Instant held_until_{};              // the monitor's own, as the next
  std::optional<RationMeter> ration_;     // the monitor's own
  std::mutex quota_lock_;
  std::optional<budget::CpuQuota> quota_;  // guarded by quota_lock_
  atomic<bool> quota_is_new_{false};
  std::thread monitor_;
};

}  // namespace weft::pool
