// SPDX-License-Identifier: Apache-2.0
// Durations come back from their buckets, and quantiles are those of the sorted samples.
#include "measure/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

namespace weft::measure {
namespace {

using namespace std::chrono_literals;

TEST(HistogramTest, ABucketIsAsWideAsItMayBe) {
  for (std::size_t bucket = 0; bucket + 1 < bucket_count; ++bucket) {
    const nanoseconds last = upper_bound_of(bucket);
    ASSERT_EQ(bucket_of(last), bucket);
    ASSERT_EQ(bucket_of(last + 1ns), bucket + 1);
    ASSERT_LE((upper_bound_of(bucket + 1) - last).count(), 1 + last.count() / 64);
  }
  EXPECT_GT(upper_bound_of(bucket_count - 1), 18min);
}

TEST(HistogramTest, WhatIsOutOfRangeCountsAsTheNearest) {
  EXPECT_EQ(bucket_of(-5ns), 0U);
  EXPECT_EQ(bucket_of(nanoseconds::max()), bucket_count - 1);
}

TEST(HistogramTest, QuantilesAreThoseOfTheSamples) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> distribution(13, 2);
  Histogram histogram;
  std::vector<nanoseconds> samples;
  for (int i = 0; i < 20'000; ++i) {
    samples.emplace_back(static_cast<std::int64_t>(distribution(random)));
    histogram.record(samples.back());
  }
  std::sort(samples.begin(), samples.end());
  const Snapshot snapshot = histogram.snapshot();
  for (const double share : {0.0001, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * 20'000)) - 1;
    const auto exact = static_cast<double>(samples[rank].count());
    const auto answered = static_cast<double>(snapshot.quantile(share).count());
    EXPECT_GE(answered, exact) << share;
    EXPECT_LE(answered, exact * 1.016 + 1) << share;
  }
}

TEST(HistogramTest, OfNoneIsZero) {
  const Snapshot snapshot = Histogram().snapshot();
  EXPECT_EQ(snapshot.quantile(0.99), 0ns);
  EXPECT_EQ(snapshot.mean(), 0ns);
  EXPECT_EQ(Snapshot().count_up_to(1s), 0U);
}

TEST(HistogramTest, AnEarlierSnapshotIsTakenOff) {
  Histogram histogram;
  for (int i = 0; i < 10; ++i) histogram.record(1s);
  const Snapshot earlier = histogram.snapshot();
  for (int i = 0; i < 10; ++i) histogram.record(1ms);
  Snapshot between = histogram.snapshot();
  between.take_off(earlier);
  EXPECT_EQ(between.count(), 10U);
  EXPECT_EQ(between.mean(), 1ms);
  EXPECT_LT(between.quantile(1), 2ms);
  between.add(earlier);
  EXPECT_EQ(between.count(), 20U);
  EXPECT_EQ(between.count_up_to(10ms), 10U);
}

TEST(HistogramTest, ThreadsRecordAtOnce) {
  Histogram histogram;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 10'000; ++round) histogram.record(nanoseconds{round});
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(histogram.snapshot().count(), 40'000U);
}

}  // namespace
}  // namespace weft::measure
