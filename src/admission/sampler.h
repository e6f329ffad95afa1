// SPDX-License-Identifier: Apache-2.0
// Sampler: the thread that looks at the gate and at the machine, and makes the plans.
#pragma once

#include <weft/admission_control.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include <weft/budget_watch.h>
#include <weft/pressure.h>

#include "admission/gate.h"
#include "admission/pressure_control.h"
#include "admission/queue_control.h"

namespace weft {

class AdmissionControl::Sampler {
 public:
  explicit Sampler(const AdmissionOptions& options);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  admission::Gate& gate() noexcept { return gate_; }
  // Looks soon. Never waits; a call that comes while it is about to sleep is lost, and the next
  // look is then a quiet period away at most.
  void call() noexcept;
  void set_cpus(std::uint32_t cpus);
  AdmissionCounters counters() const;

 private:
  void run();
  std::chrono::nanoseconds look(std::chrono::nanoseconds now);

  admission::Gate gate_;
  const bool watches_pressure_;
  std::unique_ptr<budget::Watch> watch_;  // none: the CPUs were said
  atomic<std::uint64_t> state_changes_{0};
  // Of the thread.
  admission::QueueControl queue_;
  admission::PressureControl pressure_;
  admission::PressurePlan pressure_plan_;
  budget::Pressure pressure_before_;
  std::chrono::nanoseconds next_pressure_{0};

  atomic<bool> is_called_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;  // guarded by mutex_
  std::mutex follows_mutex_;
  budget::Watch::Subscription follows_;  // guarded by follows_mutex_
  std::thread thread_;
};

}  // namespace weft
