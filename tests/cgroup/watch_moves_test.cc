// SPDX-License-Identifier: Apache-2.0
// A watch follows a process that is moved, and survives the cgroups that it watched.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include <weft/budget_watch.h>

#include "tests/support/nested_cgroups.h"
#include "tests/support/recorder.h"
#include "tests/support/sleeper.h"

namespace weft::budget {
namespace {

using sandbox::Cgroup;
using sandbox::Quota;
using std::chrono::milliseconds;
using support::Inside;
using support::make_nest;

constexpr milliseconds no_thread{0};
constexpr milliseconds short_period{20};
constexpr std::uint64_t looks_in_one_period = 2;  // see watch_test.cc

class CgroupWatchMoves : public support::CgroupTest {};

TEST_F(CgroupWatchMoves, RefreshFollowsThisProcessThereAndBack) {
  const auto nest = make_nest({}, {}, Quota{.cores = 0.5});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const auto other = nest->parent.create_child("other", Quota{.cores = 0.25});
  ASSERT_TRUE(other.ok()) << other.error().message;
  const Inside inside(nest->leaf);
  Watch watch({}, no_thread);
  EXPECT_EQ(watch.current()->cpu.cores, 0.5);

  ASSERT_TRUE(other->enter().ok());
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 0.25);
  EXPECT_TRUE(watch.current()->cpu.where.starts_with(other->directory() + "/cpu."));

  ASSERT_TRUE(nest->leaf.enter().ok());
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 0.5);

  // What it has left it no longer follows.
  ASSERT_TRUE(other->set_quota(Quota{.cores = 0.1}).ok());
  EXPECT_FALSE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 0.5);
}

TEST_F(CgroupWatchMoves, TheThreadFollowsThisProcessThereAndBack) {
  const auto nest = make_nest({}, {}, Quota{.cores = 0.5});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const auto other = nest->parent.create_child("other", Quota{.cores = 0.25});
  ASSERT_TRUE(other.ok()) << other.error().message;
  const Inside inside(nest->leaf);
  Watch watch({}, short_period);
  const support::Recorder recorder(watch);

  std::uint64_t before = watch.counters().refreshes;
  ASSERT_TRUE(other->enter().ok());
  ASSERT_TRUE(recorder.wait_for(2));
  EXPECT_EQ(recorder.told().back().cores, 0.25);
  EXPECT_LE(recorder.told().back().refreshes - before, looks_in_one_period);

  before = watch.counters().refreshes;
  ASSERT_TRUE(nest->leaf.enter().ok());
  ASSERT_TRUE(recorder.wait_for(3));
  EXPECT_EQ(recorder.told().back().cores, 0.5);
  EXPECT_LE(recorder.told().back().refreshes - before, looks_in_one_period);
}

TEST_F(CgroupWatchMoves, AnotherProcessIsMovedByUs) {
  const auto nest = make_nest({}, {}, Quota{.cores = 0.5});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const auto other = nest->parent.create_child("other", Quota{.cores = 0.25});
  ASSERT_TRUE(other.ok()) << other.error().message;
  const support::Sleeper sleeper;
  ASSERT_TRUE(nest->leaf.enter(sleeper.process()).ok());
  Query query;
  query.process = sleeper.process();
  Watch watch(query, short_period);
  const support::Recorder recorder(watch);
  EXPECT_EQ(watch.current()->cpu.cores, 0.5);

  const std::uint64_t before = watch.counters().refreshes;
  ASSERT_TRUE(other->enter(sleeper.process()).ok());
  ASSERT_TRUE(recorder.wait_for(2));
  EXPECT_EQ(recorder.told().back().cores, 0.25);
  EXPECT_LE(recorder.told().back().refreshes - before, looks_in_one_period);
}

TEST_F(CgroupWatchMoves, TheCgroupIsRemovedBehindUs) {
  auto nest = make_nest({}, Quota{.cores = 0.75}, Quota{.cores = 0.5});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const auto other = nest->parent.create_child("other", {});
  ASSERT_TRUE(other.ok()) << other.error().message;
  ASSERT_TRUE(nest->leaf.enter().ok());
  Watch watch({}, no_thread);
  EXPECT_EQ(watch.current()->cpu.cores, 0.5);

  const Inside inside(*other);
  { const Cgroup gone = std::move(nest->leaf); }
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 0.75);
  EXPECT_FALSE(watch.refresh());
  // Looser, since v1 holds the quota of a removed child against its parent for a moment longer.
  ASSERT_TRUE(nest->parent.set_quota(Quota{.cores = 0.9}).ok());
  EXPECT_TRUE(watch.refresh());
  EXPECT_DOUBLE_EQ(watch.current()->cpu.cores, 0.9);
}

// The path of the process is the same as before, but the files that were kept open are dead.
TEST_F(CgroupWatchMoves, TheCgroupIsRemovedAndMadeAgainUnderTheSameName) {
  auto nest = make_nest({}, Quota{.cores = 0.75}, Quota{.cores = 0.5});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  ASSERT_TRUE(nest->leaf.enter().ok());
  Watch watch({}, no_thread);
  EXPECT_EQ(watch.current()->cpu.cores, 0.5);

  { const Cgroup gone = std::move(nest->leaf); }  // takes us out of it
  const auto again = nest->parent.create_child("leaf", Quota{.cores = 0.25});
  ASSERT_TRUE(again.ok()) << again.error().message;
  const Inside inside(*again);
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 0.25);

  ASSERT_TRUE(again->set_quota(Quota{.cores = 0.3}).ok());
  EXPECT_TRUE(watch.refresh());
  EXPECT_DOUBLE_EQ(watch.current()->cpu.cores, 0.3);
}

TEST_F(CgroupWatchMoves, TheWholeNestGoesUnderTheThread) {
  std::optional<support::Nest> nest;
  {
    auto made = make_nest(Quota{.cores = 0.75}, {}, Quota{.cores = 0.5});
    ASSERT_TRUE(made.ok()) << made.error().message;
    nest.emplace(std::move(*made));
  }
  ASSERT_TRUE(nest->leaf.enter().ok());
  Watch watch({}, short_period);
  const support::Recorder recorder(watch);
  nest.reset();  // takes us out of it
  for (std::size_t count = 2; recorder.told().back().cores != host_cores(); ++count) {
    ASSERT_TRUE(recorder.wait_for(count));
  }
  EXPECT_EQ(watch.current()->cpu.source, "affinity");
}

}  // namespace
}  // namespace weft::budget
