// SPDX-License-Identifier: Apache-2.0
// Throttling and stalls as a real CPU brings them about.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include <weft/pressure.h>

#include "tests/support/burners.h"
#include "tests/support/nested_cgroups.h"
#include "tests/support/sleeper.h"
#include "tests/support/unified_group.h"

namespace weft::budget {
namespace {

using sandbox::Quota;
using support::Inside;
using support::make_nest;

// Waits for what the machine brings about; false when it does not.
template <class Condition>
bool comes_true(Condition condition) {
  for (int attempt = 0; attempt < 1'000; ++attempt) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::optional<Throttling> throttling_of(const Pressure& pressure, const sandbox::Cgroup& group) {
  for (const Throttling& throttling : pressure.throttling) {
    if (throttling.where == group.directory() + "/cpu.stat") return throttling;
  }
  return std::nullopt;
}

StallReading stall_of(const Pressure& pressure, Resource resource, Scope scope) {
  for (const StallReading& reading : pressure.stalls) {
    if (reading.resource == resource && reading.scope == scope) return reading;
  }
  ADD_FAILURE() << "no reading of " << to_string(resource) << " in " << to_string(scope);
  return {};
}

class CgroupPressure : public support::CgroupTest {};

TEST_F(CgroupPressure, ThrottlingGrowsWhereTheQuotaIs) {
  const auto nest = make_nest({}, Quota{.cores = 0.2}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  const auto before = throttling_of(read_pressure(), nest->parent);
  ASSERT_TRUE(before.has_value());
  EXPECT_EQ(before->throttled_periods, 0U);

  const support::Burners burners(1);
  EXPECT_TRUE(comes_true([&] {
    const auto now = throttling_of(read_pressure(), nest->parent);
    return now && now->throttled_periods >= before->throttled_periods + 3;
  }));
  const Pressure pressure = read_pressure();
  const auto after = throttling_of(pressure, nest->parent);
  ASSERT_TRUE(after.has_value());
  EXPECT_GE(after->periods, after->throttled_periods);
  EXPECT_GT(after->throttled, before->throttled);
  EXPECT_EQ(after->burst_limit.count(), 0);
  const auto leaf = throttling_of(pressure, nest->leaf);
  ASSERT_TRUE(leaf.has_value());
  EXPECT_EQ(leaf->throttled_periods, 0U);  // it has no quota, so it runs out of none
}

TEST_F(CgroupPressure, ThrottlingIsToldFromOurCgroupUpwards) {
  const auto nest = make_nest(Quota{.cores = 1}, Quota{.cores = 0.5}, Quota{.cores = 0.25});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const support::Sleeper sleeper;
  ASSERT_TRUE(nest->leaf.enter(sleeper.process()).ok());
  Query query;
  query.process = sleeper.process();
  const Pressure pressure = read_pressure(query);
  ASSERT_GE(pressure.throttling.size(), 3U);
  EXPECT_EQ(pressure.throttling[0].where, nest->leaf.directory() + "/cpu.stat");
  EXPECT_EQ(pressure.throttling[1].where, nest->parent.directory() + "/cpu.stat");
  EXPECT_EQ(pressure.throttling[2].where, nest->grandparent.directory() + "/cpu.stat");
}

// The kernel's own files say what has to be there.
TEST(HostPressure, EveryReadingHasNumbersOrAReason) {
  const Pressure pressure = read_pressure();
  EXPECT_EQ(pressure.stalls.size(), 8U);
  for (const StallReading& reading : pressure.stalls) {
    EXPECT_NE(reading.available(), !reading.reason.empty()) << reading.where;
  }
  for (const Resource resource : {Resource::cpu, Resource::memory, Resource::io}) {
    const StallReading reading = stall_of(pressure, resource, Scope::system);
    if (!os::read_text(std::string("/proc/pressure/") + to_string(resource))) continue;
    EXPECT_TRUE(reading.available()) << reading.reason;
    EXPECT_TRUE(reading.some.has_value());
  }
}

TEST(HostPressure, StallsGrowUnderContention) {
  const StallReading before = stall_of(read_pressure(), Resource::cpu, Scope::system);
  if (!before.available()) GTEST_SKIP() << before.reason;
  const support::Burners burners(2 * support::allowed_cpus().size());
  EXPECT_TRUE(comes_true([&] {
    const StallReading now = stall_of(read_pressure(), Resource::cpu, Scope::system);
    return now.some && now.some->total > before.some->total + std::chrono::milliseconds(50);
  }));
}

TEST(UnifiedPressure, IsThatOfOurOwnCgroup) {
  const auto group = support::UnifiedGroup::create();
  if (!group) GTEST_SKIP() << group.error().message;
  ASSERT_TRUE(group->enter().ok());
  const StallReading before = stall_of(read_pressure(), Resource::cpu, Scope::cgroup);
  EXPECT_EQ(before.where, group->directory() + "/cpu.pressure");
  if (!before.available()) GTEST_SKIP() << before.reason;

  const support::OnOneCpu on_one_cpu;
  const support::Burners burners(2);
  EXPECT_TRUE(comes_true([&] {
    const StallReading now = stall_of(read_pressure(), Resource::cpu, Scope::cgroup);
    return now.some && now.some->total > before.some->total + std::chrono::milliseconds(50);
  }));
}

TEST(UnifiedPressure, SaysThatItIsSwitchedOff) {
  const auto group = support::UnifiedGroup::create();
  if (!group) GTEST_SKIP() << group.error().message;
  const auto off = os::write_text(group->directory() + "/cgroup.pressure", "0");
  if (!off) GTEST_SKIP() << "before Linux 6.1: " << off.error().message;
  const support::Sleeper sleeper;
  ASSERT_TRUE(group->enter(sleeper.process()).ok());
  Query query;
  query.process = sleeper.process();
  const StallReading reading = stall_of(read_pressure(query), Resource::cpu, Scope::cgroup);
  EXPECT_FALSE(reading.available());
  EXPECT_NE(reading.reason, "");
}

}  // namespace
}  // namespace weft::budget
