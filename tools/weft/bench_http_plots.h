// SPDX-License-Identifier: Apache-2.0
// Pictures of `weft bench http` as SVG, to stand in a page that has the styles. Pure.
#pragma once

#include <string>
#include <vector>

#include "bench_http_samples.h"

namespace weft::tool {

inline constexpr std::size_t http_line_styles = 12;  // .line0 to .line11

// Of a cell that was traced: latency by quantile, P99 and workers over time.
std::string plot_traces(const HttpSamples& samples);

// Requests a second and P99 by connections, of the cells of the suite `scale` whose names begin
// with `title`; empty where there are none.
std::string plot_scale(const std::vector<HttpSamples>& all, const std::string& title);

// P99 of each tenth of a second, in milliseconds, by its middle in seconds. Windows without a good
// answer are left out.
std::vector<std::pair<double, double>> p99_over_time(const std::vector<HttpSample>& samples,
                                                     double window_seconds = 0.1);
// Latency in milliseconds by "one in so many": 2 is the median, 100 P99. Of good answers.
std::vector<std::pair<double, double>> latency_by_quantile(const std::vector<HttpSample>& samples,
                                                           bool only_in_bursts);

}  // namespace weft::tool
