// SPDX-License-Identifier: Apache-2.0
// Orders of turns, ratios within a round, what is void, and bars.
#include "bench_turns.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

namespace weft::tool {
namespace {

TurnCell two() {
  return {.name = "cell",
          .contenders = {"a", "b"},
          .comparisons = {{"a", "b", "rate", "calls", "/s", bench::ratio_at_least(2)}},
          .columns = {{"rate", "calls /s"}}};
}

bench::Options rounds(int repeats) {
  bench::Options options;
  options.repeats = repeats;
  return options;
}

TEST(Turns, TheOrderTurnsAround) {
  bench::Progress progress(-1);
  std::string order;
  const auto samples = take_turns(two(), rounds(3), progress, [&](std::size_t contender) {
    order += contender == 0 ? "a" : "b";
    return base::Result<TurnRun>(TurnRun{{{"rate", 1.0}}});
  });
  ASSERT_TRUE(samples);
  EXPECT_EQ(order, "abbaab");
}

TEST(Turns, RatiosAreTakenWithinARound) {
  bench::Progress progress(-1);
  double speed = 1;  // the machine's, which changes from round to round
  int turn = 0;
  const auto samples = take_turns(two(), rounds(3), progress, [&](std::size_t contender) {
    const double rate = (contender == 0 ? 30 : 10) * speed;
    if (++turn % 2 == 0) speed *= 10;
    return base::Result<TurnRun>(TurnRun{{{"rate", rate}}});
  });
  ASSERT_TRUE(samples);
  const auto row = row_of(*samples, samples->cell.comparisons.front(), 1);
  ASSERT_TRUE(row && row->ratio);
  EXPECT_DOUBLE_EQ(row->ratio->low, 3);
  EXPECT_DOUBLE_EQ(row->ratio->high, 3);
  EXPECT_EQ(row->holds, true);
}

TEST(Turns, WhatIsVoidIsTriedOnceMoreAndNotQuoted) {
  bench::Progress progress(-1);
  int runs_of_b = 0;
  const auto samples = take_turns(two(), rounds(2), progress, [&](std::size_t contender) {
    TurnRun run{{{"rate", 10.0}}};
    if (contender == 1) {
      ++runs_of_b;
      run.void_because = "late";
    }
    return base::Result<TurnRun>(std::move(run));
  });
  ASSERT_TRUE(samples);
  EXPECT_EQ(runs_of_b, 4);
  EXPECT_EQ(samples->voids[1], 4U);
  bench::Report report;
  add_to_report(*samples, 1, report);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_FALSE(report.rows[0].ratio);
  EXPECT_EQ(report.rows[0].holds, false);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes[0].find("4 runs were void"), std::string::npos);
}

TEST(Turns, AFailureCostsItsOwnRunAlone) {
  bench::Progress progress(-1);
  int turn = 0;
  const auto samples =
      take_turns(two(), rounds(3), progress, [&](std::size_t contender) -> base::Result<TurnRun> {
        if (turn++ == 0) return base::Error{"it fell over"};
        return TurnRun{{{"rate", contender == 0 ? 8.0 : 4.0}}};
      });
  ASSERT_TRUE(samples);
  ASSERT_EQ(samples->failures.size(), 1U);
  EXPECT_NE(samples->failures[0].find("it fell over"), std::string::npos);
  const auto row = row_of(*samples, samples->cell.comparisons.front(), 1);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->samples, 2U);
  EXPECT_EQ(row->holds, true);
}

TEST(Turns, ABarOnOursAlone) {
  TurnSamples samples(two());
  samples.rounds[0] = {TurnRun{{{"growth", 1.2}}}, TurnRun{{{"growth", 1.0}}}, std::nullopt};
  const TurnComparison grows{"a", "", "growth", "memory", "", bench::ours_at_most(1.05)};
  EXPECT_EQ(row_of(samples, grows, 1)->holds, false);
  const TurnComparison other{"a", "", "unknown", "memory", "", bench::ours_at_most(1.05)};
  EXPECT_EQ(row_of(samples, other, 1)->holds, false) << "what was not measured does not hold";
  EXPECT_TRUE(std::isnan(samples.median_of(1, "growth")));
  EXPECT_FALSE(row_of(samples, {"nobody", "", "growth", "memory"}, 1));
}

}  // namespace
}  // namespace weft::tool
