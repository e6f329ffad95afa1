// SPDX-License-Identifier: Apache-2.0
// The same load on pools of different sizes, each in a fresh process, interleaved.
#include "comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "bench/child.h"
#include "bench/interrupt.h"
#include "bench/statistics.h"
#include "service.h"
#include "work.h"

namespace weft::demo {
namespace {

constexpr std::chrono::microseconds ping_cost{50};

base::Result<Measurement> measure(const Pool& pool, const ComparisonOptions& options,
                                  ServiceOptions service) {
  const auto numbers = bench::run_in_child([&]() -> base::Result<bench::Numbers> {
    if (options.cgroup != nullptr) {
      if (const auto status = options.cgroup->enter(); !status) return status.error();
    }
    service.threads = std::max(pool.threads(), 1U);
    return to_numbers(serve(service));
  });
  if (!numbers) return numbers.error();
  return from_numbers(*numbers);
}

void show_run(int run, int runs, const Pool& pool, const Measurement& measured) {
  fmt::print(
      "  [{:>2}/{}] {:<24} {:>3} thread{}  jobs P99 {:>5.0f} ms  pings P99 {:>5.1f} ms  {}\n", run,
      runs, pool.name, measured.threads, measured.threads == 1 ? " " : "s",
      bench::quantile(measured.job_milliseconds, 0.99),
      bench::quantile(measured.ping_milliseconds, 0.99),
      measured.periods > 0 ? fmt::format("throttled in {:.0f} of {:.0f} periods",
                                         measured.throttled_periods, measured.periods)
                           : "");
  std::fflush(stdout);
}

}  // namespace

base::Result<Runs> compare(const ComparisonOptions& options) {
  ServiceOptions service;
  service.job_iterations = calibrate(options.load.job_cost);
  service.ping_iterations = calibrate(ping_cost);

  Runs runs(options.pools.size());
  std::vector<std::size_t> order(options.pools.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const int repetitions = 2 * options.rounds;
  const int total = repetitions * static_cast<int>(order.size());
  int done = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    Load load = options.load;
    load.seed += static_cast<std::uint64_t>(repetition);
    service.job_starts = job_starts(load);
    for (const std::size_t number : order) {
      if (const auto status = bench::check_interrupt(); !status) return status.error();
      const Pool& pool = options.pools[number];
      auto measured = measure(pool, options, service);
      if (!measured) return measured.error();
      show_run(++done, total, pool, *measured);
      runs[number].push_back(std::move(*measured));
    }
    std::reverse(order.begin(), order.end());
  }
  return runs;
}

}  // namespace weft::demo
