// SPDX-License-Identifier: Apache-2.0
// What one run has shown, read from what the generators print. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace weft::tool {

// Times are in milliseconds, rates in requests a second, shares from 0 to 1.
struct HttpMeasurement {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double p999 = 0;
  double burst_p99 = 0;
  // As P99, of all that was asked: what was refused or failed counts with the time-out.
  double asked_p99 = 0;
  double recovery = 0;  // the longest, until latency is again as it was before the burst
  double offered = 0;
  double goodput = 0;
  double rejected = 0;  // share of answers 400 and above
  double failed = 0;    // share without a whole answer
  double slip_p99 = 0;
  double generator_cpu = 0;    // of one CPU, without spinning
  double server_cpu = 0;       // of one CPU
  double server_us = 0;        // CPU time for each good answer, in microseconds
  double idle_bytes = 0;       // memory for each idle connection
  std::string void_because{};  // empty: the run stands
};

// The JSON of `weft load`.
base::Result<HttpMeasurement> parse_load_report(const std::string& text);

// What wrk prints with --latency.
base::Result<HttpMeasurement> parse_wrk(std::string_view text);

// The lines "start status microseconds" of h2load's --log-file.
base::Result<HttpMeasurement> parse_h2load_log(std::string_view text);

// One request of the CSV that `weft load --samples` writes.
struct HttpSample {
  double intended = 0;  // seconds
  double latency = 0;   // milliseconds; the time-out where there was no good answer
  bool is_good = false;
  bool is_in_burst = false;
  double slip = 0;  // milliseconds that it was begun late
};
base::Result<std::vector<HttpSample>> parse_samples(std::string_view text, double timeout);

// P99 of all that was asked, in milliseconds.
double asked_p99(const std::vector<HttpSample>& samples);

}  // namespace weft::tool
