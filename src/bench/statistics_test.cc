// SPDX-License-Identifier: Apache-2.0
// Medians, quantiles, intervals and ratios of values that are known.
#include "bench/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace weft::bench {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Statistics, QuantileInterpolatesAndKeepsToTheEnds) {
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) values.push_back(i);
  EXPECT_DOUBLE_EQ(quantile(values, 0.99), 99);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.25), 2.5);
  EXPECT_EQ(quantile({5, 1, 9}, 0), 1);
  EXPECT_EQ(quantile({5, 1, 9}, 1), 9);
  EXPECT_EQ(quantile({5, 1, 9}, 2), 9);
}

TEST(Statistics, AnInfiniteOutlierDoesNotReachTheMedian) {
  EXPECT_EQ(median({1, 2, INFINITY}), 2);
}

TEST(Statistics, FewValuesGiveTheirRange) {
  const Interval interval = median_interval({0.5, 0.9, 0.7}, 1);
  EXPECT_EQ(interval.median, 0.7);
  EXPECT_EQ(interval.low, 0.5);
  EXPECT_EQ(interval.high, 0.9);
}

TEST(Statistics, TheSameSeedGivesTheSameInterval) {
  const std::vector<double> values = {0.71, 0.64, 0.69, 0.8, 0.66, 0.7, 0.75, 0.68};
  const Interval first = median_interval(values, 7);
  const Interval second = median_interval(values, 7);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_LE(first.low, first.median);
  EXPECT_GE(first.high, first.median);
  EXPECT_GE(first.low, 0.64);
  EXPECT_LE(first.high, 0.8);
}

TEST(Statistics, EqualValuesHaveNoSpread) {
  const Interval interval = median_interval(std::vector<double>(11, 2.0), 3);
  EXPECT_EQ(interval.low, 2);
  EXPECT_EQ(interval.high, 2);
}

// The 95 % interval must cover the true median in about 95 of 100 experiments, not in 70 and not
// always; the bounds are far enough away for a fixed seed to be no accident.
TEST(Statistics, TheIntervalCoversTheTrueMedianAboutNinetyFivePercentOfTheTime) {
  std::mt19937_64 random(42);
  std::uniform_real_distribution<double> uniform(0, 1);
  int covered = 0;
  constexpr int experiments = 200;
  for (int experiment = 0; experiment < experiments; ++experiment) {
    std::vector<double> values(15);
    for (double& value : values) value = uniform(random);
    const Interval interval = median_interval(values, static_cast<std::uint64_t>(experiment));
    if (interval.low <= 0.5 && 0.5 <= interval.high) ++covered;
  }
  EXPECT_GE(covered, experiments * 85 / 100);
  EXPECT_LE(covered, experiments * 99 / 100);
}

TEST(Statistics, RatiosPairRepetitionsAndLeaveOutDivisionByZero) {
  EXPECT_EQ(ratios({2, 6, 5}, {4, 3, 0}), (std::vector<double>{0.5, 2}));
  EXPECT_EQ(ratios({2, 6}, {4}), (std::vector<double>{0.5}));
}

}  // namespace
}  // namespace weft::bench
