// SPDX-License-Identifier: Apache-2.0
// The small parsers: CPU_LIMIT, quotas, limits, counters, masks, pressure.
#include <gtest/gtest.h>

#include "budget/cgroup_values.h"
#include "budget/cpu_limit.h"
#include "budget/cpu_mask.h"
#include "budget/psi.h"

namespace weft::budget {
namespace {

using namespace std::chrono_literals;

TEST(CpuLimit, TakesCoresAndThousandths) {
  const std::pair<const char*, double> good[] = {
      {"2", 2}, {"1.5", 1.5}, {"1500m", 1.5}, {"500m", 0.5}, {"0.1", 0.1}, {" 2\n", 2}, {"64", 64}};
  for (const auto& [text, cores] : good) {
    const auto parsed = parse_cpu_limit(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_DOUBLE_EQ(*parsed, cores) << text;
  }
}

TEST(CpuLimit, RefusesWithWhatAndWhatToDo) {
  for (const char* text : {"lots", "", "0", "0m", "-1", "nan", "inf", "1e3", "2 cores", "1,5", "m",
                           "1500mm", "0x2", "1..5", "9999999999", "1.5c"}) {
    const auto parsed = parse_cpu_limit(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find("CPU_LIMIT is \""), std::string::npos);
    EXPECT_NE(parsed.error().message.find("1500m"), std::string::npos) << "says what to write";
  }
}

TEST(CpuMax, TakesWhatTheKernelWrites) {
  EXPECT_EQ(*parse_cpu_max("max 100000\n"), Limit());
  EXPECT_EQ(*parse_cpu_max("max\n"), Limit());
  EXPECT_EQ(*parse_cpu_max("150000 100000\n"), Limit(1.5));
  EXPECT_EQ(*parse_cpu_max("5000 10000"), Limit(0.5));
}

TEST(CpuMax, RefusesTheRest) {
  for (const char* text :
       {"", "100000", "max 100000 1", "1 2 3", "100000 0", "0 100000", "-1 100000", "lots 100000",
        "100000 lots", "99999999999999999999 100000"}) {
    EXPECT_FALSE(parse_cpu_max(text)) << text;
  }
}

TEST(CfsQuota, TakesWhatTheKernelWrites) {
  EXPECT_EQ(*parse_cfs_quota("-1\n", "100000\n"), Limit());
  EXPECT_EQ(*parse_cfs_quota("50000\n", "100000\n"), Limit(0.5));
  for (const auto& [quota, period] : {std::pair{"0", "100000"},
                                      {"50000", "0"},
                                      {"", ""},
                                      {"50000", "missing"},
                                      {"x", "100000"}}) {
    EXPECT_FALSE(parse_cfs_quota(quota, period)) << quota << ' ' << period;
  }
}

TEST(MemoryLimit, KnowsTheWaysToSayUnlimited) {
  EXPECT_EQ(*parse_memory_limit("max\n"), Limit());
  EXPECT_EQ(*parse_memory_limit("9223372036854771712\n"), Limit());
  EXPECT_EQ(*parse_memory_limit("9223372036854775807\n"), Limit());
  EXPECT_EQ(*parse_memory_limit("18446744073709551615\n"), Limit());
  EXPECT_EQ(*parse_memory_limit("536870912\n"), Limit(536870912));
  EXPECT_FALSE(parse_memory_limit(""));
  EXPECT_FALSE(parse_memory_limit("512M"));
}

TEST(Counter, IsFoundByItsWholeName) {
  const char* const text = "nr_throttled_x 7\nnr_throttled 3\nMemTotal:  16 kB\n";
  EXPECT_EQ(find_counter(text, "nr_throttled"), 3U);
  EXPECT_EQ(find_counter(text, "MemTotal"), 16U);
  EXPECT_EQ(find_counter(text, "nr"), std::nullopt);
}

TEST(CpuStat, CountsMicrosecondsOnV2AndNanosecondsOnV1) {
  const auto v2 = parse_cpu_stat(
      "usage_usec 900\nnr_periods 10\nnr_throttled 4\nthrottled_usec 2500\nnr_bursts 2\n"
      "burst_usec 30\n");
  ASSERT_TRUE(v2);
  EXPECT_EQ(v2->periods, 10U);
  EXPECT_EQ(v2->throttled_periods, 4U);
  EXPECT_EQ(v2->throttled, 2500us);
  EXPECT_EQ(v2->burst, 30us);
  const auto v1 = parse_cpu_stat(
      "nr_periods 10\nnr_throttled 4\nthrottled_time 2500000\nnr_bursts 2\nburst_time 30000\n");
  ASSERT_TRUE(v1);
  EXPECT_EQ(v1->throttled, v2->throttled);
  EXPECT_EQ(v1->burst, v2->burst);
  EXPECT_FALSE(parse_cpu_stat("usage_usec 5\nuser_usec 3\n")) << "a group without a quota";
}

TEST(CpuStat, SurvivesCountersThatNoDurationHolds) {
  const auto stat = parse_cpu_stat("nr_periods 1\nthrottled_usec 18446744073709551615\n");
  ASSERT_TRUE(stat);
  EXPECT_GT(stat->throttled.count(), 0);
}

TEST(CpuMask, TakesMasksOfAnySize) {
  EXPECT_EQ(count_common(*parse_cpu_mask("3\n"), {}), 2U);
  EXPECT_EQ(count_common(*parse_cpu_mask("1,00000000"), {}), 1U);
  std::string large = "ffffffff";
  for (int group = 1; group < 128; ++group) large += ",ffffffff";
  EXPECT_EQ(count_common(*parse_cpu_mask(large), {}), 4096U);
  for (const char* text : {"", "x", "fffffffff", "ff,,ff", "-1"}) {
    EXPECT_FALSE(parse_cpu_mask(text)) << text;
  }
}

TEST(CpuMask, OnlyOnlineCpusCount) {
  const auto online = parse_cpu_list("0-1,4\n");
  ASSERT_TRUE(online);
  EXPECT_EQ(count_common(*parse_cpu_mask("ff"), *online), 3U);
  EXPECT_EQ(count_common(*parse_cpu_mask("c"), *online), 0U);
  for (const char* text : {"", "3-1", "0-", "a", "0-99999999", "1,,2"}) {
    EXPECT_FALSE(parse_cpu_list(text)) << text;
  }
}

TEST(Psi, TakesEveryShapeThatKernelsWrote) {
  const auto both = parse_psi(
      "some avg10=1.50 avg60=2.00 avg300=0.25 total=12345\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  ASSERT_TRUE(both);
  EXPECT_DOUBLE_EQ(both->some->average_10s, 1.5);
  EXPECT_EQ(both->some->total, 12345us);
  ASSERT_TRUE(both->full);
  const auto only_some = parse_psi("some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
  ASSERT_TRUE(only_some);
  EXPECT_FALSE(only_some->full) << "old kernels have no full line for cpu";
  const auto only_full = parse_psi("full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
  ASSERT_TRUE(only_full);
  EXPECT_FALSE(only_full->some) << "irq has no some line";
  EXPECT_FALSE(parse_psi(""));
  EXPECT_FALSE(parse_psi("some avg10=x avg60=0 avg300=0 total=0\n"));
  EXPECT_FALSE(parse_psi("some avg10=1.00\n"));
}

TEST(Threads, BelowOneCoreIsOneAboveIsRoundedDown) {
  EXPECT_EQ(threads_for(0.1), 1U);
  EXPECT_EQ(threads_for(1), 1U);
  EXPECT_EQ(threads_for(1.99), 1U);
  EXPECT_EQ(threads_for(2), 2U);
  EXPECT_EQ(threads_for(63.5), 63U);
}

TEST(Sizes, FollowTheRules) {
  CpuBudget cpu;
  cpu.cores = 2.5;
  MemoryBudget memory;
  memory.bytes = 64 << 20;
  const Sizes sizes = sizes_for(cpu, memory);
  EXPECT_EQ(sizes.cpu_pool_threads.value, 2U);
  EXPECT_EQ(sizes.io_pool_threads.value, 4U);
  EXPECT_EQ(sizes.malloc_arenas.value, 5U);
  EXPECT_EQ(sizes.stack_budget_bytes.value, 8U << 20);
  EXPECT_EQ(sizes.stack_bytes_per_thread.value, 1344U << 10) << "8 MiB / 6, in steps of 64 KiB";
  cpu.cores = 0.5;
  memory.bytes = 0;
  const Sizes least = sizes_for(cpu, memory);
  EXPECT_EQ(least.cpu_pool_threads.value, 1U);
  EXPECT_EQ(least.io_pool_threads.value, 2U);
  EXPECT_EQ(least.malloc_arenas.value, 1U);
  EXPECT_EQ(least.stack_bytes_per_thread.value, 8U << 20) << "memory is not known";
}

}  // namespace
}  // namespace weft::budget
