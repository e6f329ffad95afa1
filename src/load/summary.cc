// SPDX-License-Identifier: Apache-2.0
// Quantiles by sorting: the samples are there, so nothing has to be estimated.
#include "load/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weft::load {
namespace {

double per_second(std::uint64_t count, nanoseconds length) {
  const double seconds = std::chrono::duration<double>(length).count();
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

// The latencies of what is served, by phase.
using ByPhase = std::vector<std::vector<Timed>>;

std::vector<nanoseconds> latencies_of(const ByPhase& by_phase, const std::vector<Phase>& phases,
                                      auto&& is_wanted) {
  std::vector<nanoseconds> all;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (!is_wanted(phases[i].kind)) continue;
    for (const Timed& timed : by_phase[i]) all.push_back(timed.latency);
  }
  return all;
}

BurstSummary burst_summary(const ByPhase& by_phase, const std::vector<Phase>& phases,
                           std::size_t index, nanoseconds bound) {
  BurstSummary burst;
  burst.name = phases[index].name;
  std::vector<nanoseconds> inside;
  for (const Timed& timed : by_phase[index]) inside.push_back(timed.latency);
  burst.served = quantiles_of(std::move(inside));
  std::vector<Timed> after;
  for (std::size_t i = index + 1; i < phases.size() && phases[i].kind != PhaseKind::burst; ++i) {
    after.insert(after.end(), by_phase[i].begin(), by_phase[i].end());
  }
  burst.recovery = recovery_time(after, phases[index].end, bound);
  return burst;
}

void summarise_bursts(const ByPhase& by_phase, const std::vector<Phase>& phases, Summary& summary) {
  const auto is_burst = [](PhaseKind kind) { return kind == PhaseKind::burst; };
  const auto is_quiet = [](PhaseKind kind) { return kind == PhaseKind::quiet; };
  summary.in_bursts = quantiles_of(latencies_of(by_phase, phases, is_burst));
  summary.between =
      quantiles_of(latencies_of(by_phase, phases, [&](PhaseKind kind) { return !is_burst(kind); }));
  const Quantiles quiet = quantiles_of(latencies_of(by_phase, phases, is_quiet));
  const nanoseconds bound{std::llround(static_cast<double>(quiet.p99.count()) * recovered_at)};
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (!is_burst(phases[i].kind)) continue;
    summary.bursts.push_back(burst_summary(by_phase, phases, i, bound));
    if (quiet.count == 0) summary.bursts.back().recovery.reset();  // nothing to compare with
  }
}

}  // namespace

nanoseconds quantile(const std::vector<nanoseconds>& ascending, double share) {
  const double rank = std::ceil(share * static_cast<double>(ascending.size()) - 1e-9);
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return ascending[std::min(index, ascending.size() - 1)];
}

Quantiles quantiles_of(std::vector<nanoseconds> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const nanoseconds sum = std::accumulate(values.begin(), values.end(), nanoseconds{0});
  return {values.size(),           quantile(values, 0.5),
          quantile(values, 0.9),   quantile(values, 0.99),
          quantile(values, 0.999), quantile(values, 0.9999),
          values.back(),           sum / static_cast<std::int64_t>(values.size())};
}

nanoseconds latency_of(const Sample& sample, nanoseconds timeout) noexcept {
  if (!is_answered(sample.outcome)) return timeout;
  return sample.end - sample.intended;
}

std::optional<nanoseconds> recovery_time(const std::vector<Timed>& after, nanoseconds burst_end,
                                         nanoseconds bound) {
  constexpr std::size_t window = 20;
  const auto is_slow = [&](const Timed& timed) { return timed.latency > bound; };
  for (std::size_t first = 0; first < after.size(); ++first) {
    if (is_slow(after[first])) continue;
    const auto begin = after.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(window, after.size() - first));
    if (std::count_if(begin, end, is_slow) > 1) continue;
    return first == 0 ? nanoseconds{0} : std::max(after[first].start - burst_end, nanoseconds{0});
  }
  return std::nullopt;
}

Summary summarise(const std::vector<Sample>& samples, const std::vector<Phase>& phases,
                  nanoseconds length, nanoseconds timeout) {
  Summary summary;
  ByPhase by_phase(phases.size());
  std::vector<nanoseconds> served;
  std::vector<nanoseconds> rejected;
  std::vector<nanoseconds> slip;
  std::vector<nanoseconds> first_byte;
  std::vector<nanoseconds> connect;
  for (const Sample& sample : samples) {
    ++summary.counts[static_cast<std::size_t>(sample.outcome)];
    if (sample.outcome == Outcome::unfinished) continue;
    if (sample.status != 0) ++summary.statuses[sample.status];
    slip.push_back(sample.begun - sample.intended);
    if (sample.first_byte != nanoseconds{0}) {
      first_byte.push_back(sample.first_byte - sample.intended);
    }
    if (sample.connect != nanoseconds{0}) connect.push_back(sample.connect);
    const nanoseconds latency = latency_of(sample, timeout);
    if (!is_served(sample.outcome)) {
      rejected.push_back(latency);
      continue;
    }
    served.push_back(latency);
    if (sample.phase < by_phase.size())
      by_phase[sample.phase].push_back({sample.intended, latency});
  }
  summary.served = quantiles_of(std::move(served));
  summary.rejected = quantiles_of(std::move(rejected));
  summary.slip = quantiles_of(std::move(slip));
  summary.first_byte = quantiles_of(std::move(first_byte));
  summary.connect = quantiles_of(std::move(connect));
  summarise_bursts(by_phase, phases, summary);
  std::uint64_t answered = 0;
  for (std::size_t i = 0; i < outcome_count; ++i) {
    if (is_answered(static_cast<Outcome>(i))) answered += summary.counts[i];
  }
  summary.offered_rate = per_second(samples.size(), length);
  summary.answered_rate = per_second(answered, length);
  summary.goodput = per_second(summary.counts[static_cast<std::size_t>(Outcome::good)], length);
  return summary;
}

}  // namespace weft::load
