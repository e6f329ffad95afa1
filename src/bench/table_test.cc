// SPDX-License-Identifier: Apache-2.0
// What a report looks like on a terminal.
#include "bench/table.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace weft::bench {
namespace {

TEST(TextTable, AlignsColumnsAndLeavesNoTrailingSpaces) {
  TextTable table({TextTable::Align::left, TextTable::Align::right});
  table.add({"name", "n"});
  table.add({"longer name", "10"});
  table.add({"x"});
  EXPECT_EQ(table.text(),
            "name          n\n"
            "longer name  10\n"
            "x\n");
}

Report example() {
  Report report;
  report.rows.push_back(make_row("leaf 1", 1, "", 2, "nproc", ours_equals(1)));
  report.rows.push_back(make_row("leaf 1", 1, "", 1, "OpenJDK", ours_equals(1)));
  report.rows.push_back(
      make_row("requests", "ms", {7, 6, 8}, {10, 10, 10}, "rival", 1, ratio_at_most(0.65)));
  report.rows.push_back(make_row("read", 0.2, "ms"));
  report.summary = "a summary\n";
  report.notes.push_back("rival 'go' left out");
  return report;
}

TEST(Table, ShowsRowsSummaryNotesAndVerdict) {
  EXPECT_EQ(to_table(example()),
            "name        ours  rival       ratio           bar            holds\n"
            "leaf 1         1  nproc: 2    0.5             ours = 1       yes\n"
            "               1  OpenJDK: 1  1               ours = 1       yes\n"
            "requests    7 ms  rival: 10   0.7 [0.6, 0.8]  ratio <= 0.65  NO\n"
            "read      0.2 ms  -           -               -              -\n"
            "\n"
            "a summary\n"
            "\n"
            "note: rival 'go' left out\n"
            "\n"
            "2 of 3 bars hold\n");
}

TEST(Table, ExitCodeFollowsTheBars) {
  Report report = example();
  EXPECT_EQ(exit_code(report), 1);
  report.rows.erase(report.rows.begin() + 2);
  EXPECT_EQ(exit_code(report), 0) << "a row without a bar cannot fail";
  report.rows.clear();
  EXPECT_EQ(exit_code(report), 2) << "nothing was measured, so nothing was shown to hold";
}

TEST(Table, ListsBenchmarks) {
  EXPECT_EQ(to_list({{"budget", "CPUs we own", nullptr}, {"io", "waiting", nullptr}}),
            "budget  CPUs we own\n"
            "io      waiting\n");
}

TEST(Table, LargeNumbersFitInAHundredColumns) {
  Report report;
  report.rows.push_back(make_row("sixteen threads on two CPUs", "req/s",
                                 {123456.7, 134567.8, 145678.9}, {223456.7, 234567.8, 245678.9},
                                 "nginx", 1, ratio_at_least(0.99)));
  const std::string text = to_table(report);
  std::string_view rest = text;
  while (!rest.empty()) EXPECT_LE(base::take_until(rest, '\n').size(), 100u);
}

}  // namespace
}  // namespace weft::bench
