// SPDX-License-Identifier: Apache-2.0
// Times full reads and refreshes in turn, and counts the system calls of refreshes.
#include "bench_budget_cost.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <weft/budget.h>
#include <weft/budget_watch.h>

#include "bench/child.h"
#include "bench/comparison.h"
#include "bench/statistics.h"

namespace weft::tool {
namespace {

constexpr double full_read_bar_ms = 1;
constexpr double system_calls_per_level_bar = 3;
// Runs in one repetition, of which the median is the repetition's number.
constexpr std::size_t full_reads_per_repetition = 100;
constexpr std::size_t refreshes_per_repetition = 120;
// A watch reads everything once in so many refreshes, so this many hold one full read.
constexpr std::size_t traced_refreshes = 60;

double now_us(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

struct Durations {
  std::vector<double> elapsed_us;
  std::vector<double> cpu_us;  // of it, what we used ourselves
};

template <class Work>
Durations time_each(std::size_t times, const Work& work) {
  Durations durations;
  for (std::size_t i = 0; i < times; ++i) {
    // The CPU clock is a system call and so stays outside; the other one is not.
    const double cpu_begin = now_us(CLOCK_THREAD_CPUTIME_ID);
    const double elapsed_begin = now_us(CLOCK_MONOTONIC);
    work();
    const double elapsed_end = now_us(CLOCK_MONOTONIC);
    const double cpu_end = now_us(CLOCK_THREAD_CPUTIME_ID);
    durations.elapsed_us.push_back(elapsed_end - elapsed_begin);
    durations.cpu_us.push_back(cpu_end - cpu_begin);
  }
  return durations;
}

// Gives by repetition the refreshes and the full reads, then every single full read: its elapsed
// and its CPU time.
base::Result<bench::Numbers> time_reads(const sandbox::Cgroup& leaf, int repeats,
                                        bench::Progress& progress) {
  if (const auto entered = leaf.enter(); !entered) return entered.error();
  budget::Watch watch({}, std::chrono::milliseconds(0));
  Durations single;
  const bench::Contender refresh = {"watch refresh", [&]() -> base::Result<double> {
                                      return bench::median(time_each(refreshes_per_repetition, [&] {
                                                             watch.refresh();
                                                           }).elapsed_us);
                                    }};
  const bench::Contender full_read = {
      "full read", [&]() -> base::Result<double> {
        const Durations durations = time_each(full_reads_per_repetition, [] { budget::read(); });
        const auto append = [](std::vector<double>& all, const std::vector<double>& more) {
          all.insert(all.end(), more.begin(), more.end());
        };
        append(single.elapsed_us, durations.elapsed_us);
        append(single.cpu_us, durations.cpu_us);
        return bench::median(durations.elapsed_us);
      }};
  auto samples = bench::run_interleaved({refresh, full_read}, repeats, progress);
  if (!samples) return samples.error();
  for (auto* const all : {&single.elapsed_us, &single.cpu_us}) {
    all->erase(all->begin(), all->begin() + full_reads_per_repetition);  // these were to warm up
  }
  return bench::Numbers{(*samples)[0], (*samples)[1], std::move(single.elapsed_us),
                        std::move(single.cpu_us)};
}

// Gives what the watch keeps, and for each section whether it was a full read.
base::Result<bench::Numbers> refresh_in_sections(const sandbox::Cgroup& leaf) {
  if (const auto entered = leaf.enter(); !entered) return entered.error();
  budget::Watch watch({}, std::chrono::milliseconds(0));
  std::vector<double> full_reads;
  for (std::size_t i = 0; i < traced_refreshes; ++i) {
    const auto before = watch.counters().full_reads;
    bench::begin_section();
    watch.refresh();
    bench::end_section();
    full_reads.push_back(static_cast<double>(watch.counters().full_reads - before));
  }
  const auto counters = watch.counters();
  return bench::Numbers{
      {static_cast<double>(counters.levels), static_cast<double>(counters.descriptors)},
      std::move(full_reads)};
}

std::vector<bench::Row> time_rows(const bench::Numbers& timed, std::uint64_t seed) {
  std::vector<bench::Row> rows;
  const auto add = [&](const char* name, const std::vector<double>& durations_us, double share,
                       std::optional<bench::Bar> bar) {
    rows.push_back(bench::make_row(name, bench::quantile(durations_us, share) / 1000, "ms", bar));
    rows.back().samples = durations_us.size();
  };
  const std::vector<double>& elapsed_us = timed[2];
  const std::vector<double>& cpu_us = timed[3];
  const bench::Bar bar = bench::ours_at_most(full_read_bar_ms);
  add("full read, median", elapsed_us, 0.5, bar);
  // The slowest of the elapsed times are those in which somebody else had our CPU; what a read
  // costs at worst is what it uses.
  add("full read, P99 of CPU", cpu_us, 0.99, bar);
  add("full read, P99 elapsed", elapsed_us, 0.99, std::nullopt);
  rows.push_back(bench::make_row("watch refresh", "us", timed[0], timed[1], "full read", seed));
  return rows;
}

base::Result<std::vector<bench::Row>> system_call_rows(const bench::TracedNumbers& traced) {
  const double levels = traced.numbers[0][0];
  const double descriptors = traced.numbers[0][1];
  const std::vector<double>& full_reads = traced.numbers[1];
  if (levels < 1)
    return base::Error{"the watch watches nothing, so its system calls cannot be counted"};

  // The worst of the refreshes that found nothing to do; the full read is in the mean.
  std::vector<double> ordinary;
  for (std::size_t i = 0; i < traced.system_calls.size(); ++i) {
    if (full_reads[i] == 0) ordinary.push_back(static_cast<double>(traced.system_calls[i]));
  }
  if (ordinary.empty()) {
    return base::Error{
        "every look of the watch read everything, though nothing was changed; is "
        "something else changing the limits of this machine's cgroups?"};
  }
  const double worst = *std::max_element(ordinary.begin(), ordinary.end());
  const double all = static_cast<double>(
      std::accumulate(traced.system_calls.begin(), traced.system_calls.end(), std::uint64_t{0}));
  const auto refreshes = static_cast<double>(traced.system_calls.size());

  std::vector<bench::Row> rows;
  rows.push_back(bench::make_row("refresh: calls per level", worst / levels, "",
                                 bench::ours_at_most(system_calls_per_level_bar)));
  rows.back().samples = ordinary.size();
  rows.back().details = {{"system_calls", worst}, {"levels", levels}, {"descriptors", descriptors}};
  rows.push_back(bench::make_row("refresh: system calls", worst, ""));
  rows.back().samples = ordinary.size();
  rows.push_back(bench::make_row("refresh: levels", levels, ""));
  rows.push_back(bench::make_row("refresh: mean per level", all / refreshes / levels, ""));
  rows.back().samples = traced.system_calls.size();
  rows.back().details = {
      {"full_reads", std::accumulate(full_reads.begin(), full_reads.end(), 0.0)}};
  return rows;
}

}  // namespace

base::Result<std::vector<bench::Row>> budget_cost(const sandbox::Cgroup& leaf,
                                                  const bench::Options& options,
                                                  bench::Progress& progress) {
  const auto timed =
      bench::run_in_child([&] { return time_reads(leaf, options.repeats, progress); });
  if (!timed) return timed.error();
  std::vector<bench::Row> rows = time_rows(*timed, options.seed);

  progress.show("counting system calls");
  const auto traced = bench::count_system_calls([&] { return refresh_in_sections(leaf); });
  if (!traced) return traced.error();
  if (traced->system_calls.size() != traced_refreshes) {
    return base::Error{"counted " + std::to_string(traced->system_calls.size()) + " refreshes of " +
                       std::to_string(traced_refreshes) +
                       "; the tracing is not to be trusted here"};
  }
  const auto call_rows = system_call_rows(*traced);
  if (!call_rows) return call_rows.error();
  rows.insert(rows.end(), call_rows->begin(), call_rows->end());
  return rows;
}

}  // namespace weft::tool
