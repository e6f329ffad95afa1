// SPDX-License-Identifier: Apache-2.0
// <weft/pool.h>: options from the CPU budget, and a crew for the policy.
#include <weft/budget_watch.h>
#include <weft/pool.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "pool/crew.h"
#include "pool/job_list.h"
#include "pool/word.h"

namespace weft {
namespace {

std::uint32_t cpus_of(const budget::Budget& budget, Policy policy) {
  const bool is_rationed = policy == Policy::adaptive;
  const unsigned threads = is_rationed ? threads_within(budget.cpu) : budget.cpu.threads;
  return std::clamp(threads, 1U, pool::Word::most_workers);
}

PoolOptions completed(PoolOptions options) {
  constexpr std::uint32_t most = pool::Word::most_workers;
  if (options.minimum == 0) options.minimum = options.cpus;
  if (options.maximum == 0) options.maximum = std::clamp(64 * options.cpus, 128U, 1024U);
  options.minimum = std::min(options.minimum, most);
  options.maximum = std::clamp(options.maximum, options.minimum, most);
  options.reserve = std::min(options.reserve, options.maximum);
  return options;
}

}  // namespace

// Follows the CPU budget, unless somebody has said how many CPUs to use.
struct Pool::Budget {
  budget::Watch watch;
  budget::Watch::Subscription subscription;
};

const char* to_string(Policy policy) noexcept {
  switch (policy) {
    case Policy::fixed:
      return "fixed";
    case Policy::adaptive_inline:
      return "adaptive-inline";
    case Policy::adaptive_monitor:
      return "adaptive-monitor";
    case Policy::adaptive:
      return "adaptive";
  }
  return "unknown";
}

Overload Overload::for_servers() noexcept {
  return {.target = std::chrono::milliseconds(5),
          .interval = std::chrono::milliseconds(100),
          .longest_wait = std::chrono::nanoseconds(0),
          .newest_first_above = 0};
}

Pool::Pool(PoolOptions options) {
  const bool follows = options.cpus == 0;
  if (follows) {
    budget_ = std::make_unique<Budget>();
    options.cpus = cpus_of(*budget_->watch.current(), options.policy);
  }
  const Policy policy = options.policy;
  crew_ = pool::make_crew(completed(std::move(options)));
  if (follows) {
    budget_->subscription =
        budget_->watch.subscribe([crew = crew_.get(), policy](const budget::Budget& budget) {
          crew->set_cpus(cpus_of(budget, policy));
          crew->set_quota(budget.cpu.quota);
        });
  }
}

Pool::~Pool() {
  if (budget_) budget_->subscription.reset();
  crew_->drain();
}

Submitted Pool::submit(Job& job, bool waits, const CancelToken& token) noexcept {
  pool::JobAccess::context(job) = Context::capture();
  const Submitted answer = crew_->submit(job, waits, token);
  if (answer != Submitted::accepted)
    pool::JobAccess::context(job) = {};  // it is still the caller's
  return answer;
}

Submitted Pool::try_submit(Job& job) noexcept {
  return submit(job, false, {});
}

Submitted Pool::submit(Job& job, const CancelToken& token) noexcept {
  return submit(job, true, token);
}

Submitted Pool::submit_owned(std::unique_ptr<OwnedJob> job, bool waits, const CancelToken& token) {
  const Submitted answer = submit(*job, waits, token);
  // Accepted, it is its own, and may be gone.
  if (answer == Submitted::accepted) static_cast<void>(job.release());
  return answer;
}

void Pool::close() noexcept {
  crew_->close();
}

void Pool::drain() noexcept {
  crew_->drain();
}

void Pool::set_cpus(std::uint32_t cpus) {
  if (budget_) budget_->subscription.reset();
  crew_->set_quota(std::nullopt);
  crew_->set_cpus(std::clamp(cpus, 1U, pool::Word::most_workers));
}

PoolCounters Pool::counters() const {
  return crew_->counters();
}

const pool::Metrics& Pool::metrics() const noexcept {
  return crew_->metrics();
}

}  // namespace weft
