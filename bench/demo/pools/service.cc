// SPDX-License-Identifier: Apache-2.0
// A small service: a pool for jobs that compute, and one thread that answers pings.
#include "service.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include <weft/pressure.h>

#include "work.h"

namespace weft::demo {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// What the throttled cgroup above us has been through in between; nothing where no quota holds.
void add_throttling(const budget::Pressure& before, const budget::Pressure& after,
                    Measurement& measurement) {
  for (const budget::Throttling& now : after.throttling) {
    for (const budget::Throttling& then : before.throttling) {
      const auto throttled_periods = now.throttled_periods - then.throttled_periods;
      const auto periods = now.periods - then.periods;
      if (now.where != then.where || static_cast<double>(periods) <= measurement.periods) continue;
      measurement.periods = static_cast<double>(periods);
      measurement.throttled_periods = static_cast<double>(throttled_periods);
      measurement.throttled_seconds =
          std::chrono::duration<double>(now.throttled - then.throttled).count();
    }
  }
}

}  // namespace

Measurement serve(const ServiceOptions& options) {
  Measurement measurement;
  measurement.threads = options.threads;
  measurement.job_milliseconds.resize(options.job_starts.size());
  const budget::Pressure before = budget::read_pressure();
  const Clock::time_point start = Clock::now() + std::chrono::milliseconds(20);

  std::atomic<bool> jobs_are_done{false};
  std::thread pings([&] {
    for (auto due = start; !jobs_are_done; due += options.ping_interval) {
      std::this_thread::sleep_until(due);
      compute(options.ping_iterations);
      measurement.ping_milliseconds.push_back(milliseconds_since(due));
    }
  });

  std::atomic<std::size_t> next_job{0};
  std::vector<std::thread> pool;
  pool.reserve(options.threads);
  for (unsigned number = 0; number < options.threads; ++number) {
    pool.emplace_back([&] {
      for (std::size_t job = next_job++; job < options.job_starts.size(); job = next_job++) {
        const auto due = start + options.job_starts[job];
        std::this_thread::sleep_until(due);
        compute(options.job_iterations);
        measurement.job_milliseconds[job] = milliseconds_since(due);
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
  measurement.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  jobs_are_done = true;
  pings.join();

  add_throttling(before, budget::read_pressure(), measurement);
  return measurement;
}

}  // namespace weft::demo
