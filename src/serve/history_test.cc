// SPDX-License-Identifier: Apache-2.0
// The history in a time of its own: rates, quantiles of one interval, what is missing, what is
// kept.
#include "serve/history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "serve/history_json.h"
#include "serve/prometheus_text.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

const std::chrono::steady_clock::time_point start{};

Look at(std::chrono::milliseconds time) {
  Look look;
  look.at = start + time;
  return look;
}

std::vector<Row> rows_after(const History& history, std::uint64_t number) {
  std::vector<Row> rows;
  history.for_each_after(number, [&](const Row& row) { rows.push_back(row); });
  return rows;
}

TEST(HistoryTest, RatesAreByTheTimeThatPassed) {
  Look before = at(0ms);
  before.totals.responses_by_kind[2] = 1000;
  before.machine.cpu_seconds = 10;
  Look now = at(2500ms);
  now.totals.responses_by_kind[2] = 1100;
  now.totals.overloaded = 5;
  now.totals.open = 7;
  now.machine.cpu_seconds = 12.5;
  const Row row = row_between(before, now);
  EXPECT_DOUBLE_EQ(row[Series::answered_2xx], 40);
  EXPECT_DOUBLE_EQ(row[Series::answered_5xx], 0);
  EXPECT_DOUBLE_EQ(row[Series::overloaded], 2);
  EXPECT_DOUBLE_EQ(row[Series::connections], 7);
  EXPECT_DOUBLE_EQ(row[Series::cpu_used], 1);
}

TEST(HistoryTest, QuantilesAreOfTheIntervalAlone) {
  measure::Histogram took;
  for (int i = 0; i < 100'000; ++i) took.record(1s);  // long ago, and many
  Look before = at(0ms);
  before.totals.took.add(took.snapshot());
  for (int i = 0; i < 98; ++i) took.record(1ms);
  for (int i = 0; i < 2; ++i) took.record(100ms);
  Look now = at(1000ms);
  now.totals.took.add(took.snapshot());
  const Row row = row_between(before, now);
  EXPECT_NEAR(row[Series::took_p50], 0.001, 0.001 * 0.02);
  EXPECT_NEAR(row[Series::took_p90], 0.001, 0.001 * 0.02);
  EXPECT_NEAR(row[Series::took_p99], 0.1, 0.1 * 0.02);
  EXPECT_NEAR(row[Series::took_p999], 0.1, 0.1 * 0.02);
}

TEST(HistoryTest, WhatThereIsNotIsNotZero) {
  const Row row = row_between(at(0ms), at(1000ms));
  for (const Series series : {Series::threads, Series::queued, Series::wait_p99, Series::shed,
                              Series::took_p50, Series::throttled, Series::pressure_cpu}) {
    EXPECT_TRUE(std::isnan(row[series])) << series_names[static_cast<std::size_t>(series)];
  }
  EXPECT_EQ(row[Series::answered_2xx], 0);
  EXPECT_EQ(row[Series::refused], 0);
}

TEST(HistoryTest, ThePoolAndTheMachineAreSeen) {
  Look before = at(0ms);
  before.pool.emplace();
  before.machine.throttled_seconds = 3;
  before.machine.cpu.seconds = 8;
  Look now = at(2000ms);
  now.pool.emplace();
  now.pool->counters.threads = 12;
  now.pool->counters.busy = 9;
  now.pool->counters.allowed = 10;
  now.pool->counters.queued = 44;
  now.pool->counters.shed = 6;
  for (int i = 0; i < 10; ++i) now.pool->waited.record(5ms);
  now.machine.throttled_seconds = 3.5;
  now.machine.cpu.seconds = 8.2;
  now.machine.cpu_budget = 1.5;
  const Row row = row_between(before, now);
  EXPECT_EQ(row[Series::threads], 12);
  EXPECT_EQ(row[Series::busy], 9);
  EXPECT_EQ(row[Series::allowed], 10);
  EXPECT_EQ(row[Series::queued], 44);
  EXPECT_EQ(row[Series::shed], 3);
  EXPECT_NEAR(row[Series::wait_p99], 0.005, 0.0001);
  EXPECT_DOUBLE_EQ(row[Series::throttled], 0.25);
  EXPECT_NEAR(row[Series::pressure_cpu], 0.1, 1e-9);
  EXPECT_EQ(row[Series::cpu_budget], 1.5);
  now.machine.cpu.seconds = 10.01;  // in two seconds
  EXPECT_EQ(row_between(before, now)[Series::pressure_cpu], 1);
}

TEST(HistoryTest, ACounterThatGoesBackIsNoRate) {
  Look before = at(0ms);
  before.machine.throttled_seconds = 100;
  Look now = at(1000ms);
  now.machine.throttled_seconds = 1;  // of the cgroup that we were moved to
  EXPECT_EQ(row_between(before, now)[Series::throttled], 0);
}

TEST(HistoryTest, OnlyTheNewestAreKept) {
  History history(3);
  EXPECT_TRUE(rows_after(history, 0).empty());
  history.add(at(0ms));
  EXPECT_EQ(history.newest(), 0U);
  EXPECT_TRUE(rows_after(history, 0).empty());
  for (int i = 1; i <= 10; ++i) {
    history.add(at(std::chrono::seconds{i}));
    const auto rows = rows_after(history, 0);
    ASSERT_EQ(rows.size(), std::min<std::size_t>(static_cast<std::size_t>(i), 3));
    EXPECT_EQ(rows.back().at, start + std::chrono::seconds{i});
    EXPECT_EQ(rows.front().at, start + std::chrono::seconds{std::max(i - 2, 1)});
  }
  EXPECT_EQ(history.newest(), 10U);
  EXPECT_EQ(rows_after(history, 9).size(), 1U);
  EXPECT_EQ(rows_after(history, 8).front().at, start + 9s);
  EXPECT_TRUE(rows_after(history, 10).empty());
  EXPECT_TRUE(rows_after(history, 1000).empty());
  EXPECT_TRUE(rows_after(history, UINT64_MAX).empty());
}

TEST(HistoryTest, TimeThatDoesNotPassGivesNoRow) {
  History history(3);
  history.add(at(5ms));
  history.add(at(5ms));
  EXPECT_EQ(history.newest(), 0U);
}

TEST(HistoryJsonTest, RowsAreWrittenWithWhatIsMissing) {
  About about{.version = "1.2", .policy = "fibers", .listens = {"unix:/a\"b"}};
  about.began = std::chrono::system_clock::time_point{} + 1000s;
  about.began_steadily = start;
  History history(3);
  history.add(at(0ms));
  history.add(at(1000ms));
  history.add(at(2250ms));
  const std::string all = history_json(about, {start + 3s, false}, history, 0);
  EXPECT_TRUE(all.starts_with(R"({"version":"1.2","policy":"fibers","listens":["unix:/a\"b"],)"
                              R"("began":1000.000,"up":3.000,"state":"serving")"))
      << all;
  EXPECT_NE(all.find(R"("newest":2,)"), std::string::npos) << all;
  EXPECT_NE(all.find("With the policy fibers"), std::string::npos) << all;
  EXPECT_NE(all.find("\n[1.000,null,null,"), std::string::npos) << all;
  EXPECT_NE(all.find("\n[2.250,null,null,"), std::string::npos) << all;
  const std::string later = history_json(about, {start + 3s, true}, history, 1);
  EXPECT_NE(later.find(R"("state":"draining")"), std::string::npos);
  EXPECT_EQ(later.find("\n[1.000"), std::string::npos);
  EXPECT_NE(later.find("\n[2.250"), std::string::npos);
}

TEST(PrometheusTextTest, BucketsAddUpAndLabelsAreEscaped) {
  measure::Snapshot times;
  for (const auto time : {30us, 30us, 700us, 3000us, 2000000us}) times.record(time);
  times.record(10min);
  PrometheusText text;
  text.histogram("a_seconds", "Times.", times);
  const std::string all = text.take();
  EXPECT_TRUE(
      all.starts_with("# HELP a_seconds Times.\n# TYPE a_seconds histogram\n"
                      "a_seconds_bucket{le=\"5e-05\"} 2\n"))
      << all;
  EXPECT_NE(all.find("{le=\"0.001\"} 3\n"), std::string::npos) << all;
  EXPECT_NE(all.find("{le=\"0.005\"} 4\n"), std::string::npos) << all;
  EXPECT_NE(all.find("{le=\"50\"} 5\na_seconds_bucket{le=\"+Inf\"} 6\n"), std::string::npos) << all;
  EXPECT_NE(all.find("a_seconds_count 6\n"), std::string::npos) << all;
  EXPECT_EQ(label_value("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
}

TEST(MachineTest, FilesOfTheKernelAreRead) {
  EXPECT_EQ(resident_pages("2048 512 100 1 0 300 0\n"), 512U);
  EXPECT_EQ(resident_pages(""), 0U);
  EXPECT_EQ(threads_of("7 (a) b) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 42 0 99"), 42U);
  EXPECT_EQ(threads_of("7"), 0U);
}

TEST(MachineTest, PressureIsOurCgroupsWhereThatIsCounted) {
  using budget::Resource;
  using budget::Scope;
  budget::Pressure pressure;
  budget::StallReading system;
  system.some.emplace();
  system.some->total = 4s;
  budget::StallReading ours = system;
  ours.scope = Scope::cgroup;
  ours.some->total = 1s;
  budget::StallReading none;
  none.resource = Resource::io;
  none.reason = "no PSI";
  pressure.stalls = {system, ours, none};
  EXPECT_EQ(choose_stall(pressure, Resource::cpu).seconds, 1.0);
  EXPECT_EQ(choose_stall(pressure, Resource::cpu).scope, Scope::cgroup);
  EXPECT_FALSE(choose_stall(pressure, Resource::io).seconds);
  EXPECT_EQ(choose_stall(pressure, Resource::io).why_not, "no PSI");
  EXPECT_FALSE(choose_stall(pressure, Resource::memory).seconds);
}

TEST(MachineTest, ThisProcessHasNumbers) {
  Machine machine;
  const MachineNumbers numbers = machine.read();
  EXPECT_GT(numbers.cpu_budget, 0);
  EXPECT_GT(numbers.resident_bytes, 100'000U);
  EXPECT_GE(numbers.threads, 1U);
  const Descriptors descriptors = read_descriptors();
  EXPECT_GE(descriptors.open, 3U);
  EXPECT_GE(descriptors.most, descriptors.open);
}

}  // namespace
}  // namespace weft::serve
