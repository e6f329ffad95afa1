// SPDX-License-Identifier: Apache-2.0
// The little statistics that measurements need: quantiles, and a median with its interval.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::bench {

// A median and where it lies with 95 % confidence.
struct Interval {
  double median = 0;
  double low = 0;
  double high = 0;
};

// The value below which the share `q` (0 to 1) of the values lies, interpolated between neighbours.
// NaN where there are no values.
double quantile(std::vector<double> values, double q);
double median(std::vector<double> values);

// The bootstrap percentile interval of the median: the same seed gives the same interval. With
// fewer than five values, which carry no 95 % interval, it is the smallest and the largest.
Interval median_interval(const std::vector<double>& values, std::uint64_t seed);

// ours[i] / rival[i] for each repetition i; what is behind the shorter of the two is dropped, and
// so is a repetition in which the rival is zero.
std::vector<double> ratios(const std::vector<double>& ours, const std::vector<double>& rival);

}  // namespace weft::bench
