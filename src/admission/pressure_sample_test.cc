// SPDX-License-Identifier: Apache-2.0
// Which of the readings counts.
#include "admission/pressure_sample.h"

#include <gtest/gtest.h>

namespace weft::admission {
namespace {

using budget::Resource;
using budget::Scope;
using budget::Stall;
using budget::StallReading;
using std::chrono::microseconds;

StallReading reading(Resource resource, Scope scope, std::optional<double> some,
                     std::optional<double> full) {
  StallReading result;
  result.resource = resource;
  result.scope = scope;
  if (some) result.some = Stall{*some, *some, *some, microseconds(5)};
  if (full) result.full = Stall{*full, *full, *full, microseconds(6)};
  return result;
}

budget::Throttling level(const char* where, std::uint64_t periods, std::uint64_t throttled) {
  budget::Throttling result;
  result.where = where;
  result.periods = periods;
  result.throttled_periods = throttled;
  return result;
}

TEST(PressureSample, OurCgroupComesBeforeTheSystem) {
  budget::Pressure pressure;
  pressure.stalls = {reading(Resource::cpu, Scope::system, 10, 0),
                     reading(Resource::memory, Scope::system, 20, 2),
                     reading(Resource::io, Scope::system, 30, 3),
                     reading(Resource::cpu, Scope::cgroup, 11, 1),
                     reading(Resource::memory, Scope::cgroup, 21, 4),
                     reading(Resource::io, Scope::cgroup, std::nullopt, std::nullopt)};
  const PressureSample sample = pressure_sample(pressure, {});
  EXPECT_EQ(sample.cpu_some->short_average, 11);
  EXPECT_EQ(sample.cpu_full->short_average, 1);
  EXPECT_EQ(sample.memory_full->short_average, 4);
  EXPECT_EQ(sample.io_full->short_average, 3);
  EXPECT_EQ(sample.io_full->total, microseconds(6));
}

// Of the system `full` of the CPU means nothing, and older kernels have no such line at all.
TEST(PressureSample, FullOfTheCpuIsOfACgroupOnly) {
  budget::Pressure pressure;
  pressure.stalls = {reading(Resource::cpu, Scope::system, 10, 90)};
  EXPECT_FALSE(pressure_sample(pressure, {}).cpu_full);
  EXPECT_EQ(pressure_sample(pressure, {}).cpu_some->short_average, 10);
  pressure.stalls.push_back(reading(Resource::cpu, Scope::cgroup, 12, std::nullopt));
  EXPECT_FALSE(pressure_sample(pressure, {}).cpu_full);
  EXPECT_EQ(pressure_sample(pressure, {}).cpu_some->short_average, 12);
}

TEST(PressureSample, NothingIsNothing) {
  const PressureSample sample = pressure_sample({}, {});
  EXPECT_FALSE(sample.cpu_some || sample.cpu_full || sample.memory_full || sample.io_full);
  EXPECT_FALSE(sample.throttled);
}

TEST(PressureSample, TheLevelThatIsThrottledMostCounts) {
  budget::Pressure before;
  before.throttling = {level("a", 100, 10), level("b", 1000, 0), level("c", 50, 50)};
  budget::Pressure now;
  now.throttling = {level("a", 110, 12), level("b", 1010, 9), level("c", 5, 5), level("d", 9, 9)};
  EXPECT_DOUBLE_EQ(*pressure_sample(now, before).throttled, 0.9);
  now.throttling = {level("c", 5, 5)};  // went back
  EXPECT_FALSE(pressure_sample(now, before).throttled);
  now.throttling = {level("a", 100, 10)};  // nobody ran
  EXPECT_EQ(pressure_sample(now, before).throttled, 0);
}

TEST(PressureSample, WhatThisMachineSaysIsWithinBounds) {
  const budget::Pressure pressure = budget::read_pressure();
  const PressureSample sample = pressure_sample(pressure, pressure);
  for (const auto& line : {sample.cpu_some, sample.cpu_full, sample.memory_full, sample.io_full}) {
    if (!line) continue;
    EXPECT_GE(line->short_average, 0);
    EXPECT_LE(line->long_average, 100);
  }
  PressureControl control;
  const PressurePlan plan = control.look(nanoseconds(1), sample, false);
  EXPECT_EQ(plan.level, 0);
}

}  // namespace
}  // namespace weft::admission
