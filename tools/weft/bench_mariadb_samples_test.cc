// SPDX-License-Identifier: Apache-2.0
// Runs become rows and tables, also where some have failed.
#include "bench_mariadb_samples.h"

#include <gtest/gtest.h>

namespace weft::tool {
namespace {

constexpr MariadbComparison comparison{"oltp_point_select",
                                       "point-select",
                                       64,
                                       MariadbPlacement::apart,
                                       MariadbClient::native,
                                       3.0,
                                       1.25,
                                       0.25};

MariadbSample sample_of(double rate, double p99) {
  return {.transactions_a_second = rate,
          .p99_milliseconds = p99,
          .user_microseconds = 20,
          .system_microseconds = 5,
          .switches = 0.5,
          .server_cpu = 0.99,
          .client_cpu = 0.5};
}

MariadbSamples three_rounds() {
  MariadbSamples samples{.comparison = comparison};
  for (int round = 0; round < 3; ++round) {
    samples.of(MariadbMode::native).emplace_back(sample_of(10'000, 8));
    samples.of(MariadbMode::pool).emplace_back(sample_of(20'000, 4));
    samples.of(MariadbMode::weft).emplace_back(sample_of(40'000, 1));
  }
  return samples;
}

bench::Report report_of(std::vector<MariadbSamples> all) {
  bench::Report report;
  add_to_report(all, 1, report);
  return report;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(BenchMariadb, RatiosAreToNativeAndToThePool) {
  const bench::Report report = report_of({three_rounds()});
  ASSERT_EQ(report.rows.size(), 4U);
  EXPECT_DOUBLE_EQ(report.rows[0].ratio->median, 4);
  EXPECT_DOUBLE_EQ(report.rows[1].ratio->median, 2);
  EXPECT_DOUBLE_EQ(report.rows[2].ratio->median, 0.125);
  EXPECT_EQ(bench::exit_code(report), bench::exit_every_bar_holds);
}

TEST(BenchMariadb, SummaryHasTheCpuOfBothSides) {
  const bench::Report report = report_of({three_rounds()});
  EXPECT_TRUE(has(report.summary, "a CPU for each\n")) << report.summary;
  EXPECT_TRUE(has(report.summary, "point-select, 64")) << report.summary;
  EXPECT_TRUE(has(report.summary, "25")) << report.summary;
  EXPECT_TRUE(has(report.summary, "0.99")) << report.summary;
  EXPECT_EQ(report.rows[0].details.size(), 10U);
}

TEST(BenchMariadb, EachPlacementHasItsTable) {
  MariadbSamples faster_load = three_rounds();
  faster_load.comparison.client = MariadbClient::weft;
  MariadbSamples shared = three_rounds();
  shared.comparison.placement = MariadbPlacement::shared;
  const bench::Report report = report_of({three_rounds(), faster_load, shared});
  EXPECT_TRUE(has(report.summary, "load under weft in all modes")) << report.summary;
  EXPECT_TRUE(has(report.summary, "both CPUs shared")) << report.summary;
}

TEST(BenchMariadb, FailedRunIsReportedAndTheOthersCount) {
  MariadbSamples samples = three_rounds();
  samples.of(MariadbMode::native)[1].reset();
  samples.of(MariadbMode::native)[2] = sample_of(5'000, 8);
  samples.failures.emplace_back("native, round 2: sysbench prints no result: FATAL: late");
  const bench::Report report = report_of({samples});
  ASSERT_EQ(report.rows.size(), 5U);
  EXPECT_EQ(report.rows[0].samples, 2U);
  EXPECT_DOUBLE_EQ(report.rows[0].ratio->median, 6);  // of 4 and 8
  EXPECT_EQ(report.rows[1].samples, 3U);
  EXPECT_TRUE(has(report.notes.front(), "FATAL: late")) << report.notes.front();
  EXPECT_EQ(bench::exit_code(report), bench::exit_a_bar_does_not_hold);
}

TEST(BenchMariadb, WhereAllHaveFailedNothingIsClaimed) {
  MariadbSamples samples{.comparison = comparison};
  for (auto& rounds : samples.rounds) rounds.emplace_back(std::nullopt);
  samples.failures.emplace_back("weft, round 1: no");
  const bench::Report report = report_of({samples});
  EXPECT_FALSE(report.rows[0].ratio);
  EXPECT_EQ(report.rows[0].holds, false);
  EXPECT_TRUE(has(report.summary, "?")) << report.summary;
}

}  // namespace
}  // namespace weft::tool
