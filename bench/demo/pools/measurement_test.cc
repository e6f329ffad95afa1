// SPDX-License-Identifier: Apache-2.0
// Measurements add up, and come back from a measuring child as they were.
#include "measurement.h"

#include <gtest/gtest.h>

namespace weft::demo {
namespace {

Measurement example() {
  return {.job_milliseconds = {4, 8},
          .ping_milliseconds = {0.1},
          .seconds = 2,
          .threads = 3,
          .periods = 20,
          .throttled_periods = 5,
          .throttled_seconds = 0.25};
}

TEST(Measurement, GivesRateAndShare) {
  EXPECT_EQ(example().jobs_per_second(), 1);
  EXPECT_EQ(example().throttled_share(), 0.25);
  EXPECT_EQ(Measurement().jobs_per_second(), 0);
  EXPECT_EQ(Measurement().throttled_share(), 0);
}

TEST(Measurement, AddsUp) {
  Measurement sum;
  sum.add(example());
  sum.add(example());
  EXPECT_EQ(sum.job_milliseconds, (std::vector<double>{4, 8, 4, 8}));
  EXPECT_EQ(sum.ping_milliseconds.size(), 2U);
  EXPECT_EQ(sum.threads, 3U);
  EXPECT_EQ(sum.jobs_per_second(), 1);
  EXPECT_EQ(sum.throttled_periods, 10);
  EXPECT_EQ(sum.throttled_seconds, 0.5);
}

TEST(Measurement, SurvivesTheWayThroughNumbers) {
  const auto back = from_numbers(to_numbers(example()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(to_numbers(*back), to_numbers(example()));
  EXPECT_EQ(back->threads, 3U);
}

TEST(Measurement, RefusesOtherNumbers) {
  EXPECT_FALSE(from_numbers({}).ok());
  EXPECT_FALSE(from_numbers({{}, {}, {1, 2}}).ok());
}

}  // namespace
}  // namespace weft::demo
