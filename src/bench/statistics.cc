// SPDX-License-Identifier: Apache-2.0
// Quantiles by sorting, intervals by drawing with replacement.
#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace weft::bench {
namespace {

constexpr std::size_t fewest_for_bootstrap = 5;
constexpr int resamples = 2000;

}  // namespace

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double share = position - std::floor(position);
  if (share == 0) return values[below];  // keeps an infinite neighbour out
  return values[below] + share * (values[above] - values[below]);
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

Interval median_interval(const std::vector<double>& values, std::uint64_t seed) {
  const double middle = median(values);
  if (values.size() < fewest_for_bootstrap) {
    return {middle, quantile(values, 0), quantile(values, 1)};
  }
  std::mt19937_64 random(seed);
  std::vector<double> medians;
  medians.reserve(resamples);
  std::vector<double> drawn(values.size());
  for (int resample = 0; resample < resamples; ++resample) {
    // The remainder favours small indices by less than one in 2^50, and unlike the standard
    // distributions it gives the same draw with every library.
    for (double& value : drawn) value = values[random() % values.size()];
    medians.push_back(median(drawn));
  }
  return {middle, quantile(medians, 0.025), quantile(medians, 0.975)};
}

std::vector<double> ratios(const std::vector<double>& ours, const std::vector<double>& rival) {
  std::vector<double> result;
  const std::size_t repetitions = std::min(ours.size(), rival.size());
  for (std::size_t i = 0; i < repetitions; ++i) {
    if (rival[i] != 0) result.push_back(ours[i] / rival[i]);
  }
  return result;
}

}  // namespace weft::bench
