// SPDX-License-Identifier: Apache-2.0
// Look, plan, sleep.
#include "admission/sampler.h"

#include <pthread.h>

#include <algorithm>

#include "admission/pressure_sample.h"
#include "admission/rhythm.h"
#include "os/signal_mask.h"

namespace weft {
namespace {

using admission::nanoseconds;
using Clock = std::chrono::steady_clock;

std::uint32_t cpus_of(const budget::Budget& budget) {
  return std::max(threads_within(budget.cpu), 1U);
}

admission::QueueOptions queue_options(const AdmissionOptions& options) {
  admission::QueueOptions result;
  result.target = options.target;
  result.patience = 4 * options.target;
  result.most_patience = 20 * options.target;
  result.bursts_patience = 60 * options.target;
  result.burst = 12 * options.target;
  result.most_burst = 20 * options.target;
  result.longest_wait = options.longest_wait;
  return result;
}

}  // namespace

AdmissionControl::Sampler::Sampler(const AdmissionOptions& options)
    : gate_({.in_flight = options.most_in_flight}, std::max(options.cpus, 1U)),
      watches_pressure_(options.watches_pressure),
      watch_(options.cpus == 0 ? std::make_unique<budget::Watch>() : nullptr),
      queue_(queue_options(options)) {
  if (watch_) {
    follows_ = watch_->subscribe([this](const budget::Budget& budget) {
      const std::uint32_t cpus = cpus_of(budget);
      gate_.set_cpus(cpus, std::min(budget.cpu.cores / cpus, 1.0),
                     budget.cpu.quota ? budget.cpu.quota->period : nanoseconds{0});
    });
  }
  const os::SignalMask blocked;
  thread_ = std::thread([this] { run(); });
  ::pthread_setname_np(thread_.native_handle(), "weft-admission");
}

AdmissionControl::Sampler::~Sampler() {
  {
    const std::scoped_lock guard(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void AdmissionControl::Sampler::call() noexcept {
  if (!is_called_.exchange(true, std::memory_order_relaxed)) changed_.notify_one();
}

void AdmissionControl::Sampler::set_cpus(std::uint32_t cpus) {
  {
    const std::scoped_lock guard(follows_mutex_);
    follows_.reset();
  }
  gate_.set_cpus(std::max(cpus, 1U));
}

void AdmissionControl::Sampler::run() {
  for (;;) {
    is_called_.store(false, std::memory_order_relaxed);
    const nanoseconds pause = look(Clock::now().time_since_epoch());
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, pause,
                      [this] { return ends_ || is_called_.load(std::memory_order_relaxed); });
    if (ends_) return;
  }
}

nanoseconds AdmissionControl::Sampler::look(nanoseconds now) {
  const admission::QueueSample sample = gate_.look();
  const admission::QueuePlan queue = queue_.look(now, sample);
  if (watches_pressure_ && now >= next_pressure_) {
    budget::Pressure pressure = budget::read_pressure();
    pressure_plan_ =
        pressure_.look(now, admission::pressure_sample(pressure, pressure_before_), queue.sheds);
    pressure_before_ = std::move(pressure);
    next_pressure_ = now + admission::pressure_period;
  }
  const admission::Plan plan = plan_for(queue, pressure_plan_);
  if (plan.state() != gate_.plan().state()) state_changes_.fetch_add(1, std::memory_order_relaxed);
  gate_.set_plan(plan, retry_base(plan, sample.offered, sample.admitted), queue.late);
  return until_next_look(plan, sample);
}

AdmissionCounters AdmissionControl::Sampler::counters() const {
  AdmissionCounters counters;
  const admission::Plan plan = gate_.plan();
  const admission::Gate::Occupancy occupancy = gate_.occupancy();
  counters.state = plan.state();
  counters.draining = gate_.is_draining();
  counters.cpus = gate_.cpus();
  counters.waiting = occupancy.waiting;
  counters.in_flight = occupancy.in_flight;
  counters.may_wait =
      plan.may_wait == admission::Plan::unlimited ? 0 : static_cast<std::uint32_t>(plan.may_wait);
  counters.low_share = static_cast<double>(plan.low_share) / admission::Plan::all;
  counters.normal_share = static_cast<double>(plan.normal_share) / admission::Plan::all;
  counters.state_changes = state_changes_.load(std::memory_order_relaxed);
  for (const Priority priority : {Priority::critical, Priority::normal, Priority::low}) {
    const auto who = static_cast<std::size_t>(priority);
    counters.admitted[who] = gate_.admitted(priority);
    for (std::size_t why = 1; why < refusal_count; ++why) {
      counters.refused[who][why] = gate_.refused(priority, static_cast<Refusal>(why));
    }
  }
  return counters;
}

}  // namespace weft
