// SPDX-License-Identifier: Apache-2.0
// Phases of an overload, and differences of counters.
#include "bench_service_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "bench/statistics.h"
#include "load/self_check.h"

namespace weft::tool {
namespace {

constexpr double slot_seconds = 0.25;
constexpr int slots_to_recover = 4;
constexpr double settling_seconds = 1.2;  // as decision 017 counts
constexpr double good_share = 0.95;
constexpr double slower = 2;  // times the unloaded P99
constexpr double milliseconds = 1000;
constexpr double most_stalled = 0.2;  // of what is measured, by the host

// Good answers and all requests of a part of the samples.
struct Part {
  std::vector<double> good;  // latencies
  double asked = 0;
};

Part part_of(const std::vector<HttpSample>& samples, double from, double to) {
  Part part;
  for (const HttpSample& sample : samples) {
    if (sample.intended < from || sample.intended >= to) continue;
    ++part.asked;
    if (sample.is_good) part.good.push_back(sample.latency);
  }
  return part;
}

bool is_well(const Part& part, double bound) {
  double well = 0;
  for (const double latency : part.good) well += latency <= bound ? 1 : 0;
  return well >= good_share * part.asked;
}

double recovery_of(const std::vector<HttpSample>& samples, double end, double bound) {
  double last = end;
  for (const HttpSample& sample : samples) last = std::max(last, sample.intended);
  int well = 0;  // slots in a row
  for (double from = end; from + slot_seconds <= last; from += slot_seconds) {
    well = is_well(part_of(samples, from, from + slot_seconds), bound) ? well + 1 : 0;
    if (well == slots_to_recover) return from - end - (slots_to_recover - 1) * slot_seconds;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// P99 of how late what was asked was begun, as a share of the P99 of good answers.
double slip_share(const std::vector<HttpSample>& samples) {
  std::vector<double> slips;
  std::vector<double> good;
  for (const HttpSample& sample : samples) {
    slips.push_back(sample.slip);
    if (sample.is_good) good.push_back(sample.latency);
  }
  if (good.empty()) return std::numeric_limits<double>::infinity();
  return bench::quantile(std::move(slips), 0.99) / bench::quantile(std::move(good), 0.99);
}

}  // namespace

Stalls::Stalls(const std::vector<HttpSample>& samples, double least_milliseconds) {
  for (const HttpSample& sample : samples) {
    if (sample.slip <= least_milliseconds) continue;
    const double length = sample.slip / milliseconds;
    const Span span{sample.intended, sample.intended + 2 * length};
    if (!spans_.empty() && span.from <= spans_.back().to) {
      spans_.back().to = std::max(spans_.back().to, span.to);
    } else {
      spans_.push_back(span);
    }
  }
}

std::vector<HttpSample> Stalls::without(const std::vector<HttpSample>& samples) const {
  std::vector<HttpSample> rest;
  auto next = spans_.begin();  // the first that does not end before what is asked
  for (const HttpSample& sample : samples) {
    while (next != spans_.end() && next->to < sample.intended) ++next;
    const double end = sample.intended + (sample.is_good ? sample.latency / milliseconds : 0);
    if (next == spans_.end() || next->from > end) rest.push_back(sample);
  }
  return rest;
}

double Stalls::seconds_in(double from, double to) const {
  double seconds = 0;
  for (const Span& span : spans_) {
    seconds += std::max(0.0, std::min(span.to, to) - std::max(span.from, from));
  }
  return seconds;
}

CalmPart calm_part(const std::vector<HttpSample>& samples, double from, double length,
                   double least_stall_milliseconds) {
  const Stalls stalls(samples, least_stall_milliseconds);
  CalmPart part{stalls.without(samples), stalls.seconds_in(from, from + length), {}};
  if (part.stalled_seconds > most_stalled * length) {
    part.void_because = "the host had stopped the generator for " +
                        std::to_string(static_cast<int>(100 * part.stalled_seconds / length)) +
                        " % of the time, and 20 % is the most";
  } else if (slip_share(part.samples) > load::most_slip_share) {
    part.void_because = "the generator was late, also where the host let it run";
  }
  return part;
}

std::optional<OverloadNumbers> overload_numbers(const std::vector<HttpSample>& samples,
                                                double quiet, double overload, double left_out) {
  const Part before = part_of(samples, 0, quiet);
  const Part during = part_of(samples, quiet, quiet + overload);
  if (before.good.empty()) return std::nullopt;
  OverloadNumbers numbers;
  numbers.unloaded_p99 = bench::quantile(before.good, 0.99);
  numbers.goodput = static_cast<double>(during.good.size()) / (overload - left_out);
  numbers.p50 = bench::quantile(during.good, 0.5);
  numbers.p99 = bench::quantile(during.good, 0.99);
  const Part settled =
      part_of(samples, quiet + std::min(settling_seconds, overload / 2), quiet + overload);
  numbers.settled_p99 = bench::quantile(settled.good, 0.99);
  numbers.recovery = recovery_of(samples, quiet + overload, slower * numbers.unloaded_p99);
  return numbers;
}

std::optional<ServicePlaces> parse_places(std::string_view log) {
  constexpr std::string_view begin = "serving: ";
  const auto found = log.find(begin);
  if (found == std::string_view::npos) return std::nullopt;
  log.remove_prefix(found + begin.size());
  if (log.find('\n') == std::string_view::npos) return std::nullopt;
  ServicePlaces places;
  for (std::string_view line = base::take_until(log, '\n'); !line.empty();) {
    std::string_view place = base::trim(base::take_until(line, ','));
    constexpr std::string_view http = "HTTP on ";
    constexpr std::string_view grpc = "gRPC on ";
    if (place.starts_with(http)) places.http = place.substr(http.size());
    if (place.starts_with(grpc)) places.grpc = place.substr(grpc.size());
  }
  return places;
}

QuotaCounters parse_quota_counters(std::string_view text) {
  QuotaCounters counters;
  while (!text.empty()) {
    std::string_view line = base::take_until(text, '\n');
    const std::string_view name = base::take_field(line);
    const double value = base::to_decimal(base::take_field(line)).value_or(0);
    if (name == "nr_periods") counters.periods = value;
    if (name == "nr_throttled") counters.throttled_periods = value;
    if (name == "throttled_time") counters.throttled_seconds = value / 1e9;
    if (name == "throttled_usec") counters.throttled_seconds = value / 1e6;
  }
  return counters;
}

QuotaCounters between(const QuotaCounters& before, const QuotaCounters& after) {
  return {after.periods - before.periods, after.throttled_periods - before.throttled_periods,
          after.throttled_seconds - before.throttled_seconds};
}

}  // namespace weft::tool
