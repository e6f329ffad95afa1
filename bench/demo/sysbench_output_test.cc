// SPDX-License-Identifier: Apache-2.0
// sysbench's last words are understood, or nothing is claimed.
#include "sysbench_output.h"

#include <gtest/gtest.h>

namespace weft::demo {
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
    transactions:                        100    (33.30 per sec.)
    queries:                             100    (33.30 per sec.)

General statistics:
    total time:                          3.0021s
    total number of events:              100
)";

TEST(SysbenchOutput, IsUnderstood) {
  const auto parsed = parse_sysbench(output);
  ASSERT_TRUE(parsed);
  EXPECT_DOUBLE_EQ(parsed->queries, 100);
  EXPECT_DOUBLE_EQ(parsed->seconds, 3.0021);
  EXPECT_DOUBLE_EQ(parsed->p50_milliseconds, 0.081);
  EXPECT_DOUBLE_EQ(parsed->p99_milliseconds, 1.25);
}

TEST(SysbenchOutput, IsNothingWhereItIsNotWhole) {
  EXPECT_FALSE(parse_sysbench(""));
  EXPECT_FALSE(parse_sysbench("FATAL: unable to connect"));
  EXPECT_FALSE(parse_sysbench("    queries:   100\n    total time:   3.0s\n"));
}

}  // namespace
}  // namespace weft::demo
