// SPDX-License-Identifier: Apache-2.0
// Running one job, whatever becomes of it.
#include "pool/runner.h"

#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "pool/job_list.h"

namespace weft::pool {

namespace {

// A job that was accepted is run, even where there is no memory left for its context.
void run_in_context(Job& job, const JobTimes& times) {
  Context context = std::exchange(JobAccess::context(job), {});
  std::optional<Attached> attached;
  try {
    attached.emplace(std::move(context));
  } catch (const std::bad_alloc&) {
  }
  job.run(times);
}

}  // namespace

Runner::Runner(const PoolOptions& options) noexcept
    : options_(options), codel_(options.overload.target, options.overload.interval) {}

bool Runner::sheds(Instant now, std::chrono::nanoseconds waited, ShedReason& reason) noexcept {
  const Overload& overload = options_.overload;
  if (overload.longest_wait.count() != 0 && waited > overload.longest_wait) {
    reason = ShedReason::too_old;
    return true;
  }
  if (overload.target.count() == 0) return false;
  reason = ShedReason::overloaded;
  const std::scoped_lock guard(codel_lock_);
  return codel_.sheds(now.time_since_epoch(), waited);
}

Runner::Instant Runner::run(Job& job, Instant now) {
  const JobTimes times{.accepted = JobAccess::accepted(job), .started = now};
  ShedReason reason{};
  if (sheds(now, times.waited(), reason)) {
    metrics_.shed.fetch_add(1, std::memory_order_relaxed);
    const Context released = std::exchange(JobAccess::context(job), {});
    job.shed(reason);
    return std::chrono::steady_clock::now();
  }
  metrics_.busy.fetch_add(1, std::memory_order_relaxed);
  try {
    run_in_context(job, times);
  } catch (...) {
    metrics_.thrown.fetch_add(1, std::memory_order_relaxed);
    if (options_.on_exception) options_.on_exception(std::current_exception());
  }
  const Instant end = std::chrono::steady_clock::now();
  metrics_.waited.record(times.waited());
  metrics_.handled.record(end - now);
  metrics_.total.record(end - times.accepted);
  metrics_.busy.fetch_sub(1, std::memory_order_relaxed);
  metrics_.done.fetch_add(1, std::memory_order_relaxed);
  return end;
}

}  // namespace weft::pool
