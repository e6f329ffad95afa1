// SPDX-License-Identifier: Apache-2.0
// Rows and bars: which number a bar looks at, on which side it holds, and how it prints.
#include "bench/row.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::bench {
namespace {

TEST(Bar, HoldsOnItsSideIncludingTheThreshold) {
  const Row row = make_row("r", 2, "ms", 4, "rival");
  EXPECT_TRUE(clears(ratio_at_most(0.5), row));
  EXPECT_FALSE(clears(ratio_at_most(0.49), row));
  EXPECT_TRUE(clears(ratio_at_least(0.5), row));
  EXPECT_FALSE(clears(ratio_at_least(0.51), row));
  EXPECT_TRUE(clears(ours_at_most(2), row));
  EXPECT_FALSE(clears(ours_at_most(1.9), row));
  EXPECT_TRUE(clears(ours_at_least(2), row));
  EXPECT_FALSE(clears(ours_at_least(2.1), row));
  EXPECT_TRUE(clears(ours_equals(2), row));
  EXPECT_FALSE(clears(ours_equals(1.99), row));
}

TEST(Bar, EqualForgivesTheLastBitsOfAFraction) {
  EXPECT_TRUE(clears(ours_equals(0.3), make_row("r", 0.1 + 0.2, "")));
}

TEST(Bar, DoesNotHoldForWhatIsNotANumberOrNotThere) {
  EXPECT_FALSE(clears(ours_at_most(1), make_row("r", NAN, "ms")));
  EXPECT_FALSE(clears(ratio_at_most(1), make_row("r", 1, "ms")));
  EXPECT_FALSE(clears(ratio_at_most(1), make_row("r", 1, "ms", 0, "rival")));
}

TEST(Bar, PrintsItself) {
  EXPECT_EQ(to_text(ratio_at_most(0.7), "ms"), "ratio <= 0.7");
  EXPECT_EQ(to_text(ours_at_most(1), "ms"), "ours <= 1 ms");
  EXPECT_EQ(to_text(ours_equals(2), ""), "ours = 2");
  EXPECT_EQ(to_text(ours_at_least(100), "req/s"), "ours >= 100 req/s");
}

TEST(Row, ABarDecidesWhetherItHolds) {
  EXPECT_EQ(make_row("r", 2, "ms", ours_at_most(1)).holds, false);
  EXPECT_EQ(make_row("r", 1, "ms", ours_at_most(1)).holds, true);
  EXPECT_EQ(make_row("r", 1, "ms").holds, std::nullopt);
}

TEST(Row, SingleNumbersHaveARatioWithoutSpread) {
  const Row row = make_row("r", 1, "threads", 2, "nproc");
  ASSERT_TRUE(row.ratio);
  EXPECT_EQ(row.ratio->median, 0.5);
  EXPECT_EQ(row.ratio->low, row.ratio->high);
  EXPECT_FALSE(make_row("r", 1, "threads", 0, "nproc").ratio);
}

// Dividing the medians would say 2: it pairs the 4 of one repetition with the 2 of another.
TEST(Row, TheRatioIsTakenWithinEachRepetition) {
  const Row row = make_row("r", "ms", {1, 10, 4}, {2, 20, 2}, "rival", 1, ratio_at_most(0.5));
  ASSERT_TRUE(row.ratio);
  EXPECT_EQ(row.ratio->median, 0.5);
  EXPECT_EQ(row.ratio->low, 0.5);
  EXPECT_EQ(row.ratio->high, 2);
  EXPECT_EQ(row.ours, 4);
  EXPECT_EQ(row.rival, 2);
  EXPECT_EQ(row.samples, 3u);
  EXPECT_EQ(row.holds, true);
}

TEST(Number, KeepsAboutThreeDigits) {
  EXPECT_EQ(to_text(0.083123, "ms"), "0.0831 ms");
  EXPECT_EQ(to_text(12.345, ""), "12.3");
  EXPECT_EQ(to_text(1234.6, ""), "1235");
  EXPECT_EQ(to_text(2, "threads"), "2 threads");
  EXPECT_EQ(to_text(0, ""), "0");
  EXPECT_EQ(to_text(1.5, ""), "1.5");
  EXPECT_EQ(to_text(NAN, "ms"), "?");
}

}  // namespace
}  // namespace weft::bench
