// SPDX-License-Identifier: Apache-2.0
// Tests of the counted waits: quantiles are right to an eighth, and the longest is exact.
#include "waits.h"

#include <gtest/gtest.h>

namespace weft::engine {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(Waits, HaveTheirQuantilesToAnEighth) {
  Waits waits;
  for (int i = 1; i <= 1000; ++i) waits.add(microseconds{i});
  EXPECT_NEAR(waits.quantile_us(0.5), 500, 500.0 / 8);
  EXPECT_NEAR(waits.quantile_us(0.999), 999, 999.0 / 8);
  EXPECT_GE(waits.quantile_us(1), 1000);
}

TEST(Waits, HaveTheirLongestExactly) {
  Waits waits;
  waits.add(nanoseconds{3});
  waits.add(nanoseconds{1'234'567});
  EXPECT_DOUBLE_EQ(waits.longest_us(), 1234.567);
}

TEST(Waits, OfManyAddUp) {
  Waits all;
  Waits some;
  for (int i = 0; i < 9; ++i) some.add(nanoseconds{5});
  all.add(some);
  all.add(nanoseconds{seconds{100}});
  EXPECT_LT(all.quantile_us(0.9), 0.01);
  EXPECT_GE(all.quantile_us(0.95), 1e8);
}

TEST(Waits, TakeEveryDuration) {
  Waits waits;
  waits.add(nanoseconds{-1});  // a clock that went backwards
  waits.add(nanoseconds{0});
  waits.add(nanoseconds::max());
  EXPECT_EQ(waits.quantile_us(0.5), 0);
}

}  // namespace
}  // namespace weft::engine
