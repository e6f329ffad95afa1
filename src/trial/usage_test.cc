// SPDX-License-Identifier: Apache-2.0
// What /proc says is understood, also where a name is strange or a line is missing.
#include "trial/usage.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace weft::trial {
namespace {

TEST(Usage, CpuTimeStandsBehindTheLastParenthesis) {
  const char* const stat =
      "17 (a) S 1 (b) S 1 17 17 0 -1 4194560 1 0 0 0 120 34 0 0 20 0 3 0 9 1 2";
  const auto ticks = parse_cpu_ticks(stat);
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->user, 120U);
  EXPECT_EQ(ticks->system, 34U);
  EXPECT_FALSE(parse_cpu_ticks("17 (a) S 1 17"));
  EXPECT_FALSE(parse_cpu_ticks(""));
}

TEST(Usage, SwitchesAreBothKinds) {
  EXPECT_EQ(parse_switches("Name:\tx\nvoluntary_ctxt_switches:\t40\n"
                           "nonvoluntary_ctxt_switches:\t2\n"),
            42U);
  EXPECT_EQ(parse_switches("voluntary_ctxt_switches:\t40\n"), std::nullopt);
  EXPECT_EQ(parse_switches("voluntary_ctxt_switches:\tx\n"), std::nullopt);
}

TEST(Usage, BetweenTwoLooks) {
  const Usage before{.cpu = {1, 0.5}, .switches = {{1, 10}, {2, 20}, {3, 30}}};
  const Usage after{.cpu = {3.5, 0.75}, .switches = {{1, 10}, {2, 25}, {4, 7}}};
  const UsageBetween used = between(before, after);
  EXPECT_DOUBLE_EQ(used.cpu.user_seconds, 2.5);
  EXPECT_DOUBLE_EQ(used.cpu.seconds(), 2.75);
  EXPECT_DOUBLE_EQ(used.switches, 12);
  EXPECT_DOUBLE_EQ(used.threads, 3);
  EXPECT_DOUBLE_EQ(used.threads_ran, 2);
}

TEST(Usage, OfThisProcess) {
  const auto usage = read_usage(::getpid());
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->switches.count(::getpid()), 1U);
  EXPECT_FALSE(read_usage(-1));
}

}  // namespace
}  // namespace weft::trial
