// SPDX-License-Identifier: Apache-2.0
// What the samples of an overload, and the counters of a cgroup, come to. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench_http_measurement.h"

namespace weft::tool {

// Moments in which the generator, which has a CPU of its own or comes first on it, did not run: the
// host had taken the CPU away, and likely the service's as well.
class Stalls {
 public:
  // Late by more than so many milliseconds says so. As long again is left for what came of it.
  Stalls(const std::vector<HttpSample>& samples, double least_milliseconds);

  // What lies in none of them, from when it was asked to its answer.
  std::vector<HttpSample> without(const std::vector<HttpSample>& samples) const;
  // How many seconds of these they were.
  double seconds_in(double from, double to) const;

 private:
  struct Span {
    double from;
    double to;
  };
  std::vector<Span> spans_;  // ascending, apart from each other; seconds
};

// What was asked while the host let the generator run, or why there is too little of it.
struct CalmPart {
  std::vector<HttpSample> samples;
  double stalled_seconds = 0;  // of the `length` from `from` on
  std::string void_because;
};
CalmPart calm_part(const std::vector<HttpSample>& samples, double from, double length,
                   double least_stall_milliseconds);

// Times in milliseconds but for recovery, which is in seconds; rates in answers a second.
struct OverloadNumbers {
  double unloaded_p99 = 0;
  double goodput = 0;  // of what was asked during the overload
  double p50 = 0;      // of the good answers among these; NaN: there are none
  double p99 = 0;
  double settled_p99 = 0;  // of those that were asked behind the first 1.2 s
  double recovery = 0;     // from the end of the overload; NaN: not seen
};

// From `quiet` seconds on there is an overload of `overload` seconds, of which the last argument
// was not measured. It has recovered with the first quarter of a second from which on, in each of
// four, 19 of 20 requests are answered well and no slower than twice the unloaded P99. Nothing
// where nothing was answered well before it.
std::optional<OverloadNumbers> overload_numbers(const std::vector<HttpSample>& samples,
                                                double quiet, double overload, double left_out = 0);

// Where a service listens, as its log says it; empty where it does not.
struct ServicePlaces {
  std::string http;
  std::string grpc;
};
// Of "… serving: HTTP on 127.0.0.1:4321, gRPC on …"; nothing where that was not said yet.
std::optional<ServicePlaces> parse_places(std::string_view log);

// Counters of cpu.stat, as v1 and v2 have them.
struct QuotaCounters {
  double periods = 0;
  double throttled_periods = 0;
  double throttled_seconds = 0;  // summed over the CPUs
};
QuotaCounters parse_quota_counters(std::string_view text);
QuotaCounters between(const QuotaCounters& before, const QuotaCounters& after);

}  // namespace weft::tool
