// SPDX-License-Identifier: Apache-2.0
// sysbench's last words are understood, or nothing is claimed.
#include "trial/sysbench.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft::trial {
namespace {

constexpr const char* output = R"(
Latency histogram (values are in milliseconds)
       value  ------------- distribution ------------- count
       0.067 |                                         1
       0.081 |****************************************  60
       1.250 |**************************               38
      12.300 |                                         1
 
SQL statistics:
    queries performed:
        read:                            100
        total:                           100
    transactions:                        50     (16.65 per sec.)
    queries:                             100    (33.30 per sec.)

General statistics:
    total time:                          3.0021s
    total number of events:              100
)";

TEST(Sysbench, OutputIsUnderstood) {
  const auto parsed = parse_sysbench(output);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_DOUBLE_EQ(parsed->transactions, 50);
  EXPECT_DOUBLE_EQ(parsed->queries, 100);
  EXPECT_DOUBLE_EQ(parsed->seconds, 3.0021);
  EXPECT_DOUBLE_EQ(parsed->p50_milliseconds, 0.081);
  EXPECT_DOUBLE_EQ(parsed->p99_milliseconds, 1.25);
}

TEST(Sysbench, OutputThatIsNotWholeIsNoResult) {
  EXPECT_FALSE(parse_sysbench(""));
  EXPECT_FALSE(parse_sysbench("    transactions:"));
  EXPECT_FALSE(
      parse_sysbench("    transactions:   100\n    queries:   100\n    total time:   3.0s\n"));
}

TEST(Sysbench, WhatIsNoResultIsQuoted) {
  const auto result = parse_sysbench("Threads started!\nFATAL: unable to connect\nmore\n");
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("unable to connect"), std::string::npos);
}

TEST(Sysbench, HasBegunWhenItSaysSo) {
  EXPECT_FALSE(has_begun("Initializing worker threads...\n"));
  EXPECT_TRUE(has_begun("Initializing worker threads...\n\nThreads started!\n"));
}

TEST(Sysbench, ActionComesLast) {
  const SysbenchPlan plan{.program = "sysbench", .socket = "/run/a.sock", .connections = 64};
  const auto run = words_to_run(plan, std::chrono::seconds(2));
  EXPECT_EQ(run.front(), "sysbench");
  EXPECT_EQ(run.back(), "run");
  EXPECT_NE(std::find(run.begin(), run.end(), "--threads=64"), run.end());
  const auto prepare = words_to_prepare(plan);
  EXPECT_EQ(prepare.back(), "prepare");
  EXPECT_NE(std::find(prepare.begin(), prepare.end(), "--threads=1"), prepare.end());
}

}  // namespace
}  // namespace weft::trial
