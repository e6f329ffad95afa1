// SPDX-License-Identifier: Apache-2.0
// What a process in real nested cgroups owns: the tightest of every level and of its affinity.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <weft/budget.h>

#include "tests/support/affinity.h"
#include "tests/support/nested_cgroups.h"
#include "tests/support/sleeper.h"

namespace weft::budget {
namespace {

using sandbox::Quota;
using support::Inside;
using support::make_nest;

class NestedBudget : public support::CgroupTest {};

bool is_in(const std::string& where, const sandbox::Cgroup& group) {
  return where.starts_with(group.directory() + "/cpu.");
}

const Candidate* candidate_of(const Budget& budget, const sandbox::Cgroup& group) {
  for (const Candidate& candidate : budget.cpu.candidates) {
    if (is_in(candidate.where, group)) return &candidate;
  }
  return nullptr;
}

TEST_F(NestedBudget, NoQuotaAnywhereLeavesTheAffinity) {
  const auto nest = make_nest({}, {}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  const Budget budget = read();
  EXPECT_EQ(budget.cpu.source, "affinity");
  EXPECT_EQ(budget.cpu.cores, host_cores());
  for (const sandbox::Cgroup* group : {&nest->leaf, &nest->parent, &nest->grandparent}) {
    const Candidate* const candidate = candidate_of(budget, *group);
    ASSERT_NE(candidate, nullptr) << group->directory();
    EXPECT_EQ(candidate->verdict, Verdict::unlimited);
  }
}

TEST_F(NestedBudget, TheParentIsTighterThanAnUnlimitedLeaf) {
  const auto nest = make_nest({}, Quota{.cores = 0.5}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  const Budget budget = read();
  EXPECT_EQ(budget.cpu.cores, 0.5);
  EXPECT_TRUE(is_in(budget.cpu.where, nest->parent)) << budget.cpu.where;
  ASSERT_NE(candidate_of(budget, nest->leaf), nullptr);
  EXPECT_EQ(candidate_of(budget, nest->leaf)->verdict, Verdict::unlimited);
}

TEST_F(NestedBudget, TheLeafIsTighterThanItsParents) {
  const auto nest = make_nest(Quota{.cores = 0.9}, Quota{.cores = 0.6}, Quota{.cores = 0.3});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  const Budget budget = read();
  EXPECT_DOUBLE_EQ(budget.cpu.cores, 0.3);
  EXPECT_TRUE(is_in(budget.cpu.where, nest->leaf)) << budget.cpu.where;
  for (const sandbox::Cgroup* group : {&nest->parent, &nest->grandparent}) {
    ASSERT_NE(candidate_of(budget, *group), nullptr);
    EXPECT_EQ(candidate_of(budget, *group)->verdict, Verdict::looser);
  }
}

TEST_F(NestedBudget, OnlyTheGrandparentHasAQuota) {
  const auto nest = make_nest(Quota{.cores = 0.5}, {}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  const Budget budget = read();
  EXPECT_EQ(budget.cpu.cores, 0.5);
  EXPECT_EQ(budget.cpu.threads, 1U);
  EXPECT_TRUE(is_in(budget.cpu.where, nest->grandparent)) << budget.cpu.where;
}

TEST_F(NestedBudget, TwoLeavesBelowTheSameQuota) {
  const auto nest = make_nest(Quota{.cores = 0.8}, {}, Quota{.cores = 0.4});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const auto other = nest->parent.create_child("other", {});
  ASSERT_TRUE(other.ok()) << other.error().message;
  {
    const Inside inside(*other);
    EXPECT_DOUBLE_EQ(read().cpu.cores, 0.8);
  }
  const Inside inside(nest->leaf);
  EXPECT_DOUBLE_EQ(read().cpu.cores, 0.4);
}

// Thousandths of a core, and milliseconds of a period.
class NestedBudgetSizes : public support::CgroupTest,
                          public testing::WithParamInterface<std::tuple<int, int>> {};

TEST_P(NestedBudgetSizes, AreReadAsTheyWereSet) {
  const double cores = std::get<0>(GetParam()) / 1000.0;
  const std::chrono::milliseconds period(std::get<1>(GetParam()));
  const auto nest = make_nest({}, Quota{.cores = cores, .period = period}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  const Budget budget = read();
  const double expected = std::min(cores, host_cores());
  EXPECT_DOUBLE_EQ(budget.cpu.cores, expected);
  EXPECT_EQ(budget.cpu.threads, threads_for(expected));
  EXPECT_EQ(budget.sizes.cpu_pool_threads.value, threads_for(expected));
  ASSERT_NE(candidate_of(budget, nest->parent), nullptr);
  EXPECT_EQ(candidate_of(budget, nest->parent)->value, cores);
}

INSTANTIATE_TEST_SUITE_P(Quotas, NestedBudgetSizes,
                         testing::Combine(testing::Values(500, 1000, 1500, 2000),
                                          testing::Values(10, 100)),
                         [](const auto& sizes) {
                           return "Millicores" + std::to_string(std::get<0>(sizes.param)) +
                                  "Period" + std::to_string(std::get<1>(sizes.param)) + "ms";
                         });

TEST_F(NestedBudget, TheAffinityIsTighterThanTheQuota) {
  const auto nest = make_nest(Quota{.cores = 1.5}, {}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  const support::OnOneCpu on_one_cpu;
  const Budget budget = read();
  EXPECT_EQ(budget.cpu.cores, 1);
  EXPECT_EQ(budget.cpu.source, "affinity");
  ASSERT_NE(candidate_of(budget, nest->grandparent), nullptr);
  EXPECT_EQ(candidate_of(budget, nest->grandparent)->verdict, Verdict::looser);
}

TEST_F(NestedBudget, TheQuotaIsTighterThanTheAffinity) {
  const auto nest = make_nest(Quota{.cores = 0.5}, {}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  const support::OnOneCpu on_one_cpu;
  const Budget budget = read();
  EXPECT_EQ(budget.cpu.cores, 0.5);
  const auto affinity =
      std::find_if(budget.cpu.candidates.begin(), budget.cpu.candidates.end(),
                   [](const Candidate& candidate) { return candidate.source == "affinity"; });
  ASSERT_NE(affinity, budget.cpu.candidates.end());
  EXPECT_EQ(affinity->value, 1);
  EXPECT_EQ(affinity->verdict, Verdict::looser);
}

TEST_F(NestedBudget, CpuLimitPinsAlthoughAQuotaIsThere) {
  const auto nest = make_nest({}, Quota{.cores = 0.5}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  const support::Variable pin("CPU_LIMIT", "1500m");
  const Budget budget = read();
  EXPECT_TRUE(budget.cpu.pinned);
  EXPECT_EQ(budget.cpu.cores, 1.5);
  EXPECT_EQ(budget.cpu.source, "CPU_LIMIT");
}

TEST_F(NestedBudget, AnotherProcessInAnotherCgroup) {
  const auto nest = make_nest(Quota{.cores = 0.5}, {}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const support::Sleeper sleeper;
  ASSERT_TRUE(nest->leaf.enter(sleeper.process()).ok());
  Query query;
  query.process = sleeper.process();
  const Budget theirs = read(query);
  EXPECT_EQ(theirs.cpu.cores, 0.5);
  EXPECT_TRUE(is_in(theirs.cpu.where, nest->grandparent)) << theirs.cpu.where;
  EXPECT_EQ(read().cpu.cores, host_cores());
}

TEST_F(NestedBudget, AnotherProcessWithItsOwnPinAndAffinity) {
  const support::Sleeper pinned("CPU_LIMIT=0.25");
  Query query;
  query.process = pinned.process();
  EXPECT_TRUE(read(query).cpu.pinned);
  EXPECT_EQ(read(query).cpu.cores, 0.25);
  EXPECT_FALSE(read().cpu.pinned);

  std::optional<support::OnOneCpu> on_one_cpu(std::in_place);
  const support::Sleeper confined;
  on_one_cpu.reset();
  query.process = confined.process();
  EXPECT_EQ(read(query).cpu.cores, 1);
  EXPECT_EQ(read(query).cpu.source, "affinity");
  EXPECT_EQ(read().cpu.cores, host_cores());
}

}  // namespace
}  // namespace weft::budget
