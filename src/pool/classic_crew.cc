// SPDX-License-Identifier: Apache-2.0
// Workers on the bounded queue, and the original's ways to have more or fewer of them.
#include "pool/classic_crew.h"

#include <cerrno>
#include <chrono>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "pool/dials.h"
#include "pool/job_list.h"

namespace weft::pool {
namespace {

constexpr std::chrono::milliseconds monitor_period{100};

std::size_t depth_of(const Overload& overload) {
  return overload.newest_first_above == 0 ? std::numeric_limits<std::size_t>::max()
                                          : overload.newest_first_above;
}

}  // namespace

ClassicCrew::ClassicCrew(PoolOptions options)
    : Crew(std::move(options)),
      queue_(this->options().capacity, depth_of(this->options().overload)),
      cpus_(this->options().cpus) {
  {
    const std::scoped_lock guard(size_lock_);
    while (size_ < this->options().minimum && start_worker()) continue;
    if (size_ == 0) {
      throw std::system_error(EAGAIN, std::generic_category(), "weft: a pool needs a thread");
    }
  }
  if (this->options().policy != Policy::adaptive_monitor) return;
  try {
    monitor_ = std::thread([this] { watch(); });
  } catch (...) {
    drain();
    throw;
  }
}

ClassicCrew::~ClassicCrew() {
  drain();
}

Submitted ClassicCrew::submit(Job& job, bool waits, const CancelToken& token) noexcept {
  if (options().policy == Policy::adaptive_inline) {
    const std::scoped_lock guard(size_lock_);
    scale();
  }
  JobAccess::accepted(job) = std::chrono::steady_clock::now();
  Pushed pushed = queue_.try_push(&job);
  if (pushed == Pushed::full && waits) pushed = queue_.push(&job, token);
  switch (pushed) {
    case Pushed::accepted:
      return book(Submitted::accepted);
    case Pushed::full:
      return book(Submitted::full);
    case Pushed::closed:
      break;
  }
  return book(Submitted::closed);
}

void ClassicCrew::work(Worker& worker) {
  begin_thread();
  const bool is_fixed = options().policy == Policy::fixed;
  while (!worker.retire.load(std::memory_order_acquire)) {
    const std::optional<Job*> job = queue_.pop();
    if (!job) break;
    const JobTimes::Instant accepted = JobAccess::accepted(**job);
    const JobTimes::Instant end = runner().run(**job, std::chrono::steady_clock::now());
    if (!is_fixed) latency_.record(end - accepted);
  }
  end_thread();
  worker.finished.store(true, std::memory_order_release);
}

bool ClassicCrew::start_worker() {
  Worker& worker = workers_.emplace_back();
  try {
    worker.thread = std::thread([this, &worker] { work(worker); });
  } catch (const std::system_error&) {
    workers_.pop_back();
    return false;
  }
  ++size_;
  return true;
}

void ClassicCrew::scale() {
  if (closed_) return;
  const std::uint32_t target = workers_by_dials({.queued = queue_.size(),
                                                 .capacity = queue_.capacity(),
                                                 .average_latency = latency_.value(),
                                                 .busy = metrics().busy.load(),
                                                 .workers = size_,
                                                 .minimum = options().minimum,
                                                 .maximum = options().maximum});
  while (size_ < target && start_worker()) books().grown.fetch_add(1);
  for (Worker& worker : workers_) {
    if (size_ <= target) break;
    if (worker.retire.exchange(true)) continue;
    --size_;
    books().retired.fetch_add(1);
  }
  workers_.remove_if([](Worker& worker) {
    if (!worker.finished.load(std::memory_order_acquire)) return false;
    worker.thread.join();  // it is over, but for its last instructions
    return true;
  });
}

void ClassicCrew::watch() {
  std::unique_lock guard(size_lock_);
  while (!closed_) {
    scale();
    ended_.wait_for(guard, monitor_period);
  }
}

void ClassicCrew::close() noexcept {
  {
    const std::scoped_lock guard(size_lock_);
    closed_ = true;
  }
  ended_.notify_all();
  queue_.close();
}

void ClassicCrew::drain() noexcept {
  close();
  if (monitor_.joinable()) monitor_.join();
  std::list<Worker> workers;
  {
    const std::scoped_lock guard(size_lock_);
    workers.swap(workers_);
    size_ = 0;
  }
  for (Worker& worker : workers) worker.thread.join();
}

PoolCounters ClassicCrew::counters() const {
  PoolCounters counters = common_counters();
  const std::scoped_lock guard(size_lock_);
  counters.threads = static_cast<std::uint32_t>(workers_.size());
  counters.allowed = size_;
  counters.cpus = cpus_.load(std::memory_order_relaxed);
  counters.parked = counters.threads > counters.busy ? counters.threads - counters.busy : 0;
  counters.queued = queue_.size();
  return counters;
}

}  // namespace weft::pool
