// SPDX-License-Identifier: Apache-2.0
// The loads, and how one is run.
#include "load.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "measure/histogram.h"

namespace weft::pool_bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t burst_jobs = 100;

// From when a job should have been submitted: a pool that holds up who submits gains nothing by it.
struct Seen {
  measure::Histogram waited;
  measure::Histogram total;
  std::atomic<std::uint64_t> done{0};
};

// As a handler of a server: submitted without allocation, and used again when it is done.
class HandlerJob final : public Job {
 public:
  void run(const JobTimes& times) override {
    seen->waited.record(times.started - intended);
    if (load->sleeps.count() != 0) std::this_thread::sleep_for(load->sleeps);
    if (load->computes.count() != 0) {
      const auto end = Clock::now() + load->computes;
      while (Clock::now() < end) continue;
    }
    seen->total.record(Clock::now() - intended);
    is_free.store(true, std::memory_order_release);
    seen->done.fetch_add(1, std::memory_order_release);
  }
  void shed(ShedReason) noexcept override {}

  const Load* load = nullptr;
  Seen* seen = nullptr;
  Clock::time_point intended;
  std::atomic<bool> is_free{true};
};

// Jobs in turn, each when it is free.
class Jobs {
 public:
  Jobs(const Load& load, std::size_t count) : jobs_(std::make_unique<HandlerJob[]>(count)) {
    count_ = count;
    for (std::size_t i = 0; i < count; ++i) {
      jobs_[i].load = &load;
      jobs_[i].seen = &seen_;
    }
  }
  void submit(Pool& pool, Clock::time_point intended) {
    HandlerJob& job = jobs_[next_++ % count_];
    while (!job.is_free.exchange(false, std::memory_order_acquire)) std::this_thread::yield();
    job.intended = intended;
    pool.submit(job);
    ++submitted_;
  }
  void wait_for_all() const {
    while (seen_.done.load(std::memory_order_acquire) != submitted_)
      std::this_thread::sleep_for(100us);
  }
  std::uint64_t submitted() const { return submitted_; }
  const Seen& seen() const { return seen_; }

 private:
  std::unique_ptr<HandlerJob[]> jobs_;
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::uint64_t submitted_ = 0;
  Seen seen_;
};

void run_ceiling(Pool& pool, Jobs& jobs, nanoseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
    for (int i = 0; i < 16; ++i) jobs.submit(pool, Clock::now());
  }
}

void run_steady(Pool& pool, Jobs& jobs, double rate, nanoseconds time) {
  const nanoseconds gap{static_cast<std::int64_t>(1e9 / rate)};
  const auto begin = Clock::now();
  for (auto next = begin; next < begin + time; next += gap) {
    std::this_thread::sleep_until(next);
    jobs.submit(pool, next);
  }
}

void run_bursts(Pool& pool, Jobs& jobs, nanoseconds time) {
  const auto end = Clock::now() + time;
  do {
    const auto now = Clock::now();
    for (std::size_t i = 0; i < burst_jobs; ++i) jobs.submit(pool, now);
    jobs.wait_for_all();
    std::this_thread::sleep_for(20ms);
  } while (Clock::now() < end);
}

}  // namespace

std::vector<Load> all_loads() {
  std::vector<Load> loads;
  for (const auto arrivals : {Arrivals::ceiling, Arrivals::steady, Arrivals::burst}) {
    const std::string suffix = arrivals == Arrivals::ceiling  ? ", as fast as it goes"
                               : arrivals == Arrivals::steady ? ", steady"
                                                              : ", bursts of 100";
    loads.push_back({.name = "empty" + suffix, .arrivals = arrivals, .rate = 2000});
    loads.push_back(
        {.name = "50 us CPU" + suffix, .computes = 50us, .arrivals = arrivals, .rate = 2000});
    loads.push_back(
        {.name = "5 ms sleep" + suffix, .sleeps = 5ms, .arrivals = arrivals, .rate = 400});
  }
  loads.push_back({.name = "5 ms sleep, a first burst of 100",
                   .sleeps = 5ms,
                   .arrivals = Arrivals::burst,
                   .is_cold = true});
  loads.push_back(
      {.name = "2 ms CPU, bursts of 100", .computes = 2ms, .arrivals = Arrivals::burst});
  return loads;
}

Result run(const Load& load, const PoolOptions& options, nanoseconds time) {
  Pool pool(options);
  std::this_thread::sleep_for(2ms);  // its threads are there
  Jobs jobs(load, 2048);
  const auto begin = Clock::now();
  switch (load.arrivals) {
    case Arrivals::ceiling:
      run_ceiling(pool, jobs, time);
      break;
    case Arrivals::steady:
      run_steady(pool, jobs, load.rate, time);
      break;
    case Arrivals::burst:
      run_bursts(pool, jobs, load.is_cold ? 0ns : time);
      break;
  }
  jobs.wait_for_all();
  const std::chrono::duration<double> elapsed = Clock::now() - begin;
  const auto microseconds = [](nanoseconds duration) {
    return static_cast<double>(duration.count()) / 1e3;
  };
  const measure::Snapshot waited = jobs.seen().waited.snapshot();
  return {.throughput = static_cast<double>(jobs.submitted()) / elapsed.count(),
          .median_wait = microseconds(waited.quantile(0.5)),
          .p99_wait = microseconds(waited.quantile(0.99)),
          .p99_total = microseconds(jobs.seen().total.snapshot().quantile(0.99)),
          .counters = pool.counters()};
}

}  // namespace weft::pool_bench
