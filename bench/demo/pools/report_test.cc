// SPDX-License-Identifier: Apache-2.0
// The report says what the numbers say, also where they do not speak for us.
#include "report.h"

#include <gtest/gtest.h>

namespace weft::demo {
namespace {

using std::chrono::milliseconds;

Measurement run_of(unsigned threads, double job, double ping, double throttled_periods) {
  return {.job_milliseconds = {job, job},
          .ping_milliseconds = {ping, ping},
          .seconds = 1,
          .threads = threads,
          .periods = 10,
          .throttled_periods = throttled_periods,
          .throttled_seconds = throttled_periods / 20};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Report, TheTableHasRatiosWithTheirSpread) {
  const Runs runs = {{run_of(2, 10, 40, 4), run_of(2, 10, 50, 6)},
                     {run_of(1, 20, 4, 0), run_of(1, 30, 10, 0)}};
  const std::string table = to_table({"host", "budget"}, runs);
  EXPECT_TRUE(has(table, "50 %")) << table;    // throttled, of the host's 20 periods
  EXPECT_TRUE(has(table, "0.50 s")) << table;  // and for so long
  EXPECT_TRUE(has(table, "2.50")) << table;    // jobs: the median of 2 and 3
  EXPECT_TRUE(has(table, "2.00..3.00")) << table;
  EXPECT_TRUE(has(table, "0.15")) << table;  // pings: the median of 0.1 and 0.2
  EXPECT_TRUE(has(table, "0.10..0.20")) << table;
}

TEST(Report, SaysWhatIsBetterAndWhatIsWorse) {
  const Runs runs = {{run_of(2, 10, 40, 5)}, {run_of(1, 20, 4, 1)}};
  const std::string text = explain(runs, 1, milliseconds(100));
  EXPECT_TRUE(has(text, "within 50 ms")) << text;
  EXPECT_TRUE(has(text, "so in 50 % of the periods")) << text;
  EXPECT_TRUE(has(text, "P99 is 10.0 times lower")) << text;
  EXPECT_TRUE(has(text, "P99 is 2.0 times higher")) << text;
  EXPECT_TRUE(has(text, "the price")) << text;
}

TEST(Report, DoesNotClaimWhatDiffersBetweenRuns) {
  const Runs runs = {{run_of(2, 10, 4, 5), run_of(2, 10, 4, 5)},
                     {run_of(1, 5, 2, 1), run_of(1, 20, 8, 1)}};
  const std::string text = explain(runs, 1, milliseconds(100));
  EXPECT_TRUE(has(text, "P99 is not clearly different")) << text;
  EXPECT_FALSE(has(text, "lower")) << text;
  EXPECT_FALSE(has(text, "the price")) << text;
}

TEST(Report, SaysThatThereIsNothingToSeeBetweenEqualPools) {
  const Runs runs = {{run_of(2, 10, 4, 0)}, {run_of(2, 11, 4, 0)}};
  EXPECT_TRUE(has(explain(runs, 2, milliseconds(100)), "the same pool here, 2 threads"));
}

}  // namespace
}  // namespace weft::demo
