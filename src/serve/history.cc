// SPDX-License-Identifier: Apache-2.0
// What lies between two looks.
#include "serve/history.h"

#include <utility>

#include "serve/seconds.h"

namespace weft::serve {
namespace {

// A counter that goes back is another one: of a cgroup that we were moved to.
double difference(double before, double now) {
  return std::max(now - before, 0.0);
}

double between(const std::optional<double>& before, const std::optional<double>& now) {
  return before && now ? difference(*before, *now) : nothing;
}

class Interval {
 public:
  Interval(Row& row, double seconds) : row_(row), seconds_(seconds) {}

  void rate(Series series, std::uint64_t before, std::uint64_t now) {
    share(series, difference(static_cast<double>(before), static_cast<double>(now)));
  }
  void share(Series series, double amount) { row_[series] = amount / seconds_; }
  // Of the time. The kernel's clock and ours are not read at once.
  void part(Series series, double amount) { share(series, std::min(amount, seconds_)); }
  void quantiles(const measure::Snapshot& before, measure::Snapshot now,
                 std::initializer_list<std::pair<Series, double>> wanted) {
    now.take_off(before);
    if (now.count() == 0) return;
    for (const auto& [series, of_all] : wanted) {
      row_[series] = seconds_of(now.quantile(of_all));
    }
  }

 private:
  Row& row_;
  const double seconds_;
};

void fill_pool(Row& row, Interval& interval, const Look::OfPool& before, const Look::OfPool& now) {
  row[Series::threads] = now.counters.threads;
  row[Series::busy] = now.counters.busy;
  row[Series::allowed] = now.counters.allowed;
  row[Series::queued] = static_cast<double>(now.counters.queued);
  interval.rate(Series::shed, before.counters.shed, now.counters.shed);
  interval.quantiles(before.waited, now.waited,
                     {{Series::wait_p50, 0.5}, {Series::wait_p99, 0.99}});
}

void fill_totals(Row& row, Interval& interval, const Totals& before, const Totals& now) {
  row[Series::connections] = static_cast<double>(now.open);
  interval.rate(Series::accepted, before.accepted, now.accepted);
  interval.rate(Series::refused, before.refused, now.refused);
  interval.rate(Series::overloaded, before.overloaded, now.overloaded);
  interval.rate(Series::failed, before.failed, now.failed);
  interval.rate(Series::at_once, before.at_once, now.at_once);
  constexpr std::pair<Series, std::size_t> kinds[] = {{Series::answered_2xx, 2},
                                                      {Series::answered_3xx, 3},
                                                      {Series::answered_4xx, 4},
                                                      {Series::answered_5xx, 5}};
  for (const auto& [series, kind] : kinds) {
    interval.rate(series, before.responses_by_kind[kind], now.responses_by_kind[kind]);
  }
  interval.quantiles(before.took, now.took,
                     {{Series::took_p50, 0.5},
                      {Series::took_p90, 0.9},
                      {Series::took_p99, 0.99},
                      {Series::took_p999, 0.999}});
}

void fill_machine(Row& row, Interval& interval, const MachineNumbers& before,
                  const MachineNumbers& now) {
  row[Series::cpu_budget] = now.cpu_budget;
  row[Series::resident_bytes] = static_cast<double>(now.resident_bytes);
  row[Series::process_threads] = static_cast<double>(now.threads);
  interval.share(Series::cpu_used, difference(before.cpu_seconds, now.cpu_seconds));
  interval.share(Series::throttled, between(before.throttled_seconds, now.throttled_seconds));
  interval.part(Series::pressure_cpu, between(before.cpu.seconds, now.cpu.seconds));
  interval.part(Series::pressure_memory, between(before.memory.seconds, now.memory.seconds));
  interval.part(Series::pressure_io, between(before.io.seconds, now.io.seconds));
}

}  // namespace

Row row_between(const Look& before, const Look& now) {
  Row row;
  row.at = now.at;
  Interval interval(row, seconds_of(now.at - before.at));
  if (before.pool && now.pool) fill_pool(row, interval, *before.pool, *now.pool);
  fill_totals(row, interval, before.totals, now.totals);
  fill_machine(row, interval, before.machine, now.machine);
  return row;
}

void History::add(Look look) {
  if (last_ && look.at <= last_->at) return;
  if (last_) {
    const Row row = row_between(*last_, look);
    ++newest_;
    if (rows_.size() < most_rows_) {
      rows_.push_back(row);
    } else {
      rows_[(newest_ - 1) % most_rows_] = row;
    }
  }
  last_ = std::move(look);
}

}  // namespace weft::serve
