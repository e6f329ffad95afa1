// SPDX-License-Identifier: Apache-2.0
// A watch sees a quota that changes, by its thread and by refresh().
//
// "Within one period" is counted in looks: between our write and the callback the count of looks
// grows by at most two, one that was under way and read the file before us, and the next.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include <weft/budget_watch.h>

#include "tests/support/affinity.h"
#include "tests/support/nested_cgroups.h"
#include "tests/support/recorder.h"
#include "tests/support/sleeper.h"

namespace weft::budget {
namespace {

using sandbox::Quota;
using std::chrono::milliseconds;
using support::Inside;
using support::make_nest;

constexpr milliseconds no_thread{0};
constexpr milliseconds short_period{20};
constexpr std::uint64_t looks_in_one_period = 2;

class CgroupWatch : public support::CgroupTest {};

TEST_F(CgroupWatch, RefreshSeesAChangedQuota) {
  const auto nest = make_nest({}, Quota{.cores = 0.5}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  Watch watch({}, no_thread);
  EXPECT_EQ(watch.current()->cpu.cores, 0.5);
  EXPECT_FALSE(watch.refresh());

  ASSERT_TRUE(nest->parent.set_quota(Quota{.cores = 0.75}).ok());
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 0.75);
  EXPECT_FALSE(watch.refresh());
  EXPECT_EQ(watch.counters().changes, 1U);
  EXPECT_EQ(watch.counters().refreshes, 3U);
}

TEST_F(CgroupWatch, RefreshSeesEveryLevel) {
  const auto nest = make_nest(Quota{.cores = 0.9}, {}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  Watch watch({}, no_thread);
  const auto sees = [&](const sandbox::Cgroup& group, double cores) {
    ASSERT_TRUE(group.set_quota(Quota{.cores = cores}).ok());
    EXPECT_TRUE(watch.refresh());
    EXPECT_DOUBLE_EQ(watch.current()->cpu.cores, cores);
    EXPECT_TRUE(watch.current()->cpu.where.starts_with(group.directory() + "/cpu."));
  };
  sees(nest->grandparent, 0.8);
  sees(nest->parent, 0.6);
  sees(nest->leaf, 0.4);
  ASSERT_TRUE(nest->leaf.set_quota({}).ok());
  EXPECT_TRUE(watch.refresh());
  EXPECT_DOUBLE_EQ(watch.current()->cpu.cores, 0.6);
}

TEST_F(CgroupWatch, RefreshSeesAChangedPeriod) {
  const auto nest = make_nest(Quota{.cores = 0.5}, {}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  Watch watch({}, no_thread);
  ASSERT_TRUE(nest->grandparent.set_quota(Quota{.cores = 0.25, .period = milliseconds(200)}).ok());
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 0.25);
}

// Who stops before a quota does wants to know when it begins anew.
TEST_F(CgroupWatch, AnotherPeriodOfTheSameQuotaIsAChange) {
  const auto nest = make_nest({}, Quota{.cores = 0.5}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  Watch watch({}, no_thread);
  const support::Recorder recorder(watch);
  // Half of 50 ms instead of half of 100 ms.
  ASSERT_TRUE(nest->parent.set_quota(Quota{.cores = 0.5, .period = milliseconds(50)}).ok());
  EXPECT_TRUE(watch.refresh());
  ASSERT_EQ(recorder.told().size(), 2U);
  EXPECT_EQ(recorder.told().back().cores, 0.5);
  const auto budget = watch.current();
  ASSERT_TRUE(budget->cpu.quota.has_value());
  EXPECT_EQ(budget->cpu.quota->period, milliseconds(50));
  EXPECT_EQ(budget->cpu.quota->time, milliseconds(25));
  // The same, written once more.
  ASSERT_TRUE(nest->parent.set_quota(Quota{.cores = 0.5, .period = milliseconds(50)}).ok());
  EXPECT_FALSE(watch.refresh());
}

TEST_F(CgroupWatch, TheThreadSeesAChangedQuotaWithinOnePeriod) {
  const auto nest = make_nest({}, Quota{.cores = 0.5}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  Watch watch({}, short_period);
  const support::Recorder recorder(watch);
  for (std::size_t round = 1; round <= 5; ++round) {
    const double cores = round % 2 == 1 ? 0.75 : 0.5;
    const std::uint64_t before = watch.counters().refreshes;
    ASSERT_TRUE(nest->parent.set_quota(Quota{.cores = cores}).ok());
    ASSERT_TRUE(recorder.wait_for(round + 1));
    const auto told = recorder.told().back();
    EXPECT_EQ(told.cores, cores);
    EXPECT_LE(told.refreshes - before, looks_in_one_period);
  }
  EXPECT_EQ(recorder.told().size(), 6U);
}

TEST_F(CgroupWatch, TheThreadSeesAQuotaRemovedAndSetAgain) {
  const auto nest = make_nest(Quota{.cores = 0.5}, {}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  Watch watch({}, short_period);
  const support::Recorder recorder(watch);

  std::uint64_t before = watch.counters().refreshes;
  ASSERT_TRUE(nest->grandparent.set_quota({}).ok());
  ASSERT_TRUE(recorder.wait_for(2));
  EXPECT_EQ(recorder.told().back().cores, host_cores());
  EXPECT_LE(recorder.told().back().refreshes - before, looks_in_one_period);
  EXPECT_EQ(watch.current()->cpu.source, "affinity");

  before = watch.counters().refreshes;
  ASSERT_TRUE(nest->grandparent.set_quota(Quota{.cores = 0.25}).ok());
  ASSERT_TRUE(recorder.wait_for(3));
  EXPECT_EQ(recorder.told().back().cores, 0.25);
  EXPECT_LE(recorder.told().back().refreshes - before, looks_in_one_period);
}

TEST_F(CgroupWatch, RefreshSeesAQuotaThatComesWhereThereWasNone) {
  const auto nest = make_nest({}, {}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  Watch watch({}, no_thread);
  EXPECT_EQ(watch.current()->cpu.cores, host_cores());
  ASSERT_TRUE(nest->parent.set_quota(Quota{.cores = 0.5}).ok());
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 0.5);
}

TEST_F(CgroupWatch, RefreshSeesAChangedAffinity) {
  if (host_cores() < 2) GTEST_SKIP() << "one CPU cannot become fewer";
  const auto nest = make_nest(Quota{.cores = 1.5}, {}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  Watch watch({}, no_thread);
  EXPECT_EQ(watch.current()->cpu.cores, 1.5);
  {
    const support::OnOneCpu on_one_cpu;
    EXPECT_TRUE(watch.refresh());
    EXPECT_EQ(watch.current()->cpu.cores, 1);
    EXPECT_EQ(watch.current()->cpu.source, "affinity");
  }
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 1.5);
}

TEST_F(CgroupWatch, APinDoesNotFollow) {
  const auto nest = make_nest({}, Quota{.cores = 0.5}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  const support::Variable pin("CPU_LIMIT", "0.75");
  Watch watch({}, no_thread);
  const support::Recorder recorder(watch);
  EXPECT_TRUE(watch.current()->cpu.pinned);
  for (const double cores : {0.25, 0.9}) {
    ASSERT_TRUE(nest->parent.set_quota(Quota{.cores = cores}).ok());
    EXPECT_FALSE(watch.refresh());
    EXPECT_EQ(watch.current()->cpu.cores, 0.75);
  }
  EXPECT_EQ(watch.counters().changes, 0U);
  EXPECT_EQ(recorder.told().size(), 1U);
}

TEST_F(CgroupWatch, AnotherProcessIsFollowedUntilItEnds) {
  auto nest = make_nest({}, Quota{.cores = 0.5}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  support::Sleeper sleeper;
  ASSERT_TRUE(nest->leaf.enter(sleeper.process()).ok());
  Query query;
  query.process = sleeper.process();
  Watch watch(query, no_thread);
  EXPECT_EQ(watch.current()->cpu.cores, 0.5);
  ASSERT_TRUE(nest->parent.set_quota(Quota{.cores = 0.75}).ok());
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 0.75);

  sleeper.end();
  { const sandbox::Cgroup gone = std::move(nest->leaf); }
  EXPECT_FALSE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 0.75);
}

}  // namespace
}  // namespace weft::budget
