// SPDX-License-Identifier: Apache-2.0
// What sysbench prints, read.
#include "bench_mariadb_load.h"

#include <gtest/gtest.h>

namespace weft::tool {
namespace {

constexpr const char* printed =
    "SQL statistics:\n"
    "    queries performed:\n"
    "        read:                            46733\n"
    "    transactions:                        46733  (23352.63 per sec.)\n"
    "    queries:                             46733  (23352.63 per sec.)\n"
    "Latency (ms):\n"
    "         max:                                   18.40\n"
    "         99th percentile:                        5.28\n"
    "         sum:                               127688.86\n";

TEST(Sysbench, ResultIsRead) {
  const auto result = parse_sysbench(printed);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_DOUBLE_EQ(result->transactions_a_second, 23352.63);
  EXPECT_DOUBLE_EQ(result->p99_milliseconds, 5.28);
}

TEST(Sysbench, WhatIsNoResultIsQuoted) {
  const auto result = parse_sysbench("Threads started!\nFATAL: unable to connect\nmore\n");
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("unable to connect"), std::string::npos);
}

TEST(Sysbench, CutResultIsNone) {
  EXPECT_FALSE(parse_sysbench("    transactions:"));
  EXPECT_FALSE(parse_sysbench("    transactions:  1  (1.0 per sec.)\n   99th percentile:"));
}

TEST(Sysbench, ActionComesLast) {
  const auto words = sysbench_words("sysbench", "oltp_read_write", "/run/a.sock", 64, "run");
  EXPECT_EQ(words.front(), "sysbench");
  EXPECT_EQ(words.back(), "run");
}

}  // namespace
}  // namespace weft::tool
