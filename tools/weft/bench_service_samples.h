// SPDX-License-Identifier: Apache-2.0
// What the samples of an overload, and the counters of a cgroup, come to. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bench_http_measurement.h"

namespace weft::tool {

// Times in milliseconds but for recovery, which is in seconds; rates in answers a second.
struct OverloadNumbers {
  double unloaded_p99 = 0;
  double goodput = 0;  // of what was asked during the overload
  double p50 = 0;      // of the good answers among these
  double p99 = 0;
  double settled_p99 = 0;  // of those that were asked behind the first 1.2 s
  double recovery = 0;     // from the end of the overload; NaN: not seen
};

// From `quiet` seconds on there is an overload of `overload` seconds. It has recovered with the
// first quarter of a second from which on, in each of four, 19 of 20 requests are answered well and
// no slower than twice the unloaded P99. Nothing where a part has no good answer.
std::optional<OverloadNumbers> overload_numbers(const std::vector<HttpSample>& samples,
                                                double quiet, double overload);

// Counters of cpu.stat, as v1 and v2 have them.
struct QuotaCounters {
  double periods = 0;
  double throttled_periods = 0;
  double throttled_seconds = 0;  // summed over the CPUs
};
QuotaCounters parse_quota_counters(std::string_view text);
QuotaCounters between(const QuotaCounters& before, const QuotaCounters& after);

}  // namespace weft::tool
