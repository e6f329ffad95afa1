// SPDX-License-Identifier: Apache-2.0
// What the runs have shown, as text for people.
#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "bench/statistics.h"
#include "bench/table.h"

namespace weft::demo {
namespace {

using Figure = std::function<double(const Measurement&)>;

double job_p50(const Measurement& run) {
  return bench::quantile(run.job_milliseconds, 0.5);
}
double job_p99(const Measurement& run) {
  return bench::quantile(run.job_milliseconds, 0.99);
}
double ping_p50(const Measurement& run) {
  return bench::quantile(run.ping_milliseconds, 0.5);
}
double ping_p99(const Measurement& run) {
  return bench::quantile(run.ping_milliseconds, 0.99);
}

Measurement together(const std::vector<Measurement>& runs) {
  Measurement sum;
  for (const Measurement& run : runs) sum.add(run);
  return sum;
}

// The ratio budget / host of a figure, within each repetition. Of so few the interval is from the
// smallest to the largest.
bench::Interval ratio_of(const Runs& runs, const Figure& figure) {
  std::vector<double> ours;
  std::vector<double> theirs;
  for (const Measurement& run : runs[budget_pool]) ours.push_back(figure(run));
  for (const Measurement& run : runs[host_pool]) theirs.push_back(figure(run));
  const std::vector<double> ratios = bench::ratios(ours, theirs);
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  if (ratios.empty()) return {1, 1, 1};
  return {bench::median(ratios), *low, *high};
}

std::string milliseconds(double value) {
  return base::to_text(value, value < 10 ? 2 : value < 100 ? 1 : 0) + " ms";
}

std::string spread(const bench::Interval& ratio) {
  return fmt::format("{:.2f}..{:.2f}", ratio.low, ratio.high);
}

// How a latency under the budget compares, in words that fit its ratio in every repetition.
std::string verdict(const bench::Interval& ratio) {
  if (ratio.high < 1) return fmt::format("{:.1f} times lower", 1 / ratio.median);
  if (ratio.low > 1) return fmt::format("{:.1f} times higher", ratio.median);
  return "not clearly different";
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

}  // namespace

std::string to_table(const std::vector<std::string>& names, const Runs& runs) {
  using Align = bench::TextTable::Align;
  std::vector<Align> columns(9, Align::right);
  columns.front() = Align::left;
  bench::TextTable table(columns);
  table.add({"pool", "threads", "jobs/s", "jobs P50", "jobs P99", "pings P50", "pings P99",
             "throttled", "for"});
  for (std::size_t pool = 0; pool < runs.size(); ++pool) {
    const Measurement all = together(runs[pool]);
    table.add({names[pool], std::to_string(all.threads),
               fmt::format("{:.0f}", all.jobs_per_second()), milliseconds(job_p50(all)),
               milliseconds(job_p99(all)), milliseconds(ping_p50(all)), milliseconds(ping_p99(all)),
               all.periods > 0 ? percent(all.throttled_share()) : "-",
               all.periods > 0 ? fmt::format("{:.2f} s", all.throttled_seconds) : "-"});
  }
  std::vector<std::string> medians = {"budget / host, median", ""};
  std::vector<std::string> spreads = {"lowest..highest", ""};
  for (const Figure& figure : {Figure(&Measurement::jobs_per_second), Figure(job_p50),
                               Figure(job_p99), Figure(ping_p50), Figure(ping_p99)}) {
    const bench::Interval ratio = ratio_of(runs, figure);
    medians.push_back(fmt::format("{:.2f}", ratio.median));
    spreads.push_back(spread(ratio));
  }
  table.add(medians);
  table.add(spreads);
  return table.text();
}

std::string explain(const Runs& runs, double quota_cores, std::chrono::milliseconds period) {
  const Measurement host = together(runs[host_pool]);
  const Measurement budget = together(runs[budget_pool]);
  if (host.threads == budget.threads) {
    return fmt::format(
        "The host and the budget give the same pool here, {} thread{}: no quota holds that the\n"
        "host does not have anyway, and so there is nothing to see but noise.\n",
        host.threads, host.threads == 1 ? "" : "s");
  }
  std::string text;
  if (host.periods > 0) {
    const double quota_milliseconds = quota_cores * static_cast<double>(period.count());
    text += fmt::format(
        "{} threads can spend the {} ms of CPU time that the quota gives for {} ms within {} ms. "
        "Then the kernel\nstops the whole process until the next period, also the thread that "
        "answers pings and has next to\nnothing to do. That was so in {} of the periods with the "
        "host's pool ({:.2f} s in all), in {} with the\nbudget's ({:.2f} s).\n",
        host.threads, base::to_text(quota_milliseconds), period.count(),
        base::to_text(quota_milliseconds / host.threads), percent(host.throttled_share()),
        host.throttled_seconds, percent(budget.throttled_share()), budget.throttled_seconds);
  }
  text += fmt::format("Pings: with the budget's pool P99 is {} ({} against {}).\n",
                      verdict(ratio_of(runs, ping_p99)), milliseconds(ping_p99(budget)),
                      milliseconds(ping_p99(host)));
  const bench::Interval job_median = ratio_of(runs, job_p50);
  const bench::Interval job_tail = ratio_of(runs, job_p99);
  text +=
      fmt::format("Jobs:  with it P50 is {}, P99 is {}.", verdict(job_median), verdict(job_tail));
  if (job_median.low > 1 || job_tail.low > 1) {
    text +=
        " That is the price: a larger pool runs\n       jobs side by side until it is stopped, a "
        "smaller one runs them one after another.";
  }
  return text + "\n";
}

}  // namespace weft::demo
