// SPDX-License-Identifier: Apache-2.0
// The right answer of a scenario, worked out by hand for hosts that are not this one.
#include "bench_budget_scenarios.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "bench/rivals.h"

namespace weft::tool {
namespace {

using sandbox::Quota;

Host host_of(int cpus, std::optional<double> quota_cores = {}) {
  Host host;
  for (int cpu = 0; cpu < cpus; ++cpu) host.cpus.push_back(cpu);
  host.quota_cores = quota_cores;
  return host;
}

void expect_right(const Scenario& scenario, const Host& host, double cores, unsigned threads) {
  const Answer answer = right_answer(scenario, host);
  EXPECT_DOUBLE_EQ(answer.cores, cores) << scenario.name;
  EXPECT_EQ(answer.threads, threads) << scenario.name;
}

TEST(Scenario, TheTightestOfAffinityAndAllLevelsIsRight) {
  expect_right({.name = "none"}, host_of(8), 8, 8);
  expect_right({.name = "leaf", .leaf = Quota{1.5}}, host_of(8), 1.5, 1);
  expect_right({.name = "below one", .leaf = Quota{0.5}}, host_of(8), 0.5, 1);
  expect_right({.name = "parent", .parent = Quota{3}, .leaf = Quota{5}}, host_of(8), 3, 3);
  expect_right({.name = "grandparent", .grandparent = Quota{2.9}}, host_of(8), 2.9, 2);
  expect_right({.name = "affinity", .leaf = Quota{4}, .cpus = 2}, host_of(8), 2, 2);
  expect_right({.name = "few CPUs", .leaf = Quota{4}, .cpus = 2}, host_of(1), 1, 1);
}

TEST(Scenario, TheHostsOwnQuotaCountsToo) {
  expect_right({.name = "none"}, host_of(8, 2.5), 2.5, 2);
  expect_right({.name = "leaf", .leaf = Quota{1}}, host_of(8, 2.5), 1, 1);
}

TEST(Scenario, CpuLimitPinsWhateverElseIsSet) {
  expect_right({.name = "pin", .leaf = Quota{1}, .cpu_limit = CpuLimit{"3500m", 3.5}}, host_of(1),
               3.5, 3);
}

TEST(Scenario, VersionOneRefusesOneLooserThanTheHost) {
  const Scenario scenario = {.name = "two", .parent = Quota{2}};
  EXPECT_FALSE(refused(scenario, host_of(8)));
  EXPECT_FALSE(refused(scenario, host_of(8, 2)));
  EXPECT_TRUE(refused(scenario, host_of(8, 1.5)));
  Host version_2 = host_of(8, 1.5);
  version_2.cgroup_version = 2;
  EXPECT_FALSE(refused(scenario, version_2));
}

TEST(Scenario, AffinityTakesTheFirstOfOurCpus) {
  Host host;
  host.cpus = {3, 5, 7};
  EXPECT_EQ(affinity({.name = "two", .cpus = 2}, host), (std::vector<int>{3, 5}));
  EXPECT_EQ(affinity({.name = "more than there are", .cpus = 9}, host), host.cpus);
  EXPECT_TRUE(affinity({.name = "as ours"}, host).empty());
}

TEST(Host, TheSmallestQuotaAboveIsFoundInBothVersionsWords) {
  const auto directory = bench::TemporaryDirectory::create();
  ASSERT_TRUE(directory);
  std::filesystem::create_directories(directory->path() / "a/b/c");
  const std::string place = (directory->path() / "a/b/c").string();
  EXPECT_EQ(quota_above(place), std::nullopt);

  ASSERT_TRUE(directory->write("a/cpu.max", "150000 100000\n"));
  ASSERT_TRUE(directory->write("a/b/cpu.max", "max 100000\n"));
  ASSERT_TRUE(directory->write("a/b/c/cpu.max", "400000 100000\n"));
  EXPECT_EQ(quota_above(place), 1.5);

  std::filesystem::remove(directory->path() / "a/b/cpu.max");
  ASSERT_TRUE(directory->write("a/b/cpu.cfs_quota_us", "50000\n"));
  ASSERT_TRUE(directory->write("a/b/cpu.cfs_period_us", "100000\n"));
  EXPECT_EQ(quota_above(place), 0.5);
  ASSERT_TRUE(directory->write("a/b/cpu.cfs_quota_us", "-1\n"));
  EXPECT_EQ(quota_above(place), 1.5);
}

}  // namespace
}  // namespace weft::tool
