// SPDX-License-Identifier: Apache-2.0
// docs/guide/budget.md and docs/guide/throttling.md: what a container may use, asked of the host
// and of the budget, in a real cgroup with a real quota.
#include <gtest/gtest.h>

#include <weft/pool.h>
#include <weft/pressure.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "tests/support/compute.h"
#include "tests/support/nested_cgroups.h"

namespace weft {
namespace {

using namespace std::chrono_literals;
using sandbox::Quota;
using support::Inside;
using support::make_nest;

class TheBug : public support::CgroupTest {};
class TheCure : public support::CgroupTest {};

TEST_F(TheBug, TheHostSaysHowManyCpusThereAreAndNotHowManyAreOurs) {
  if (support::allowed_cpus().size() < 2) GTEST_SKIP() << "of one CPU there is no less";
  const auto nest = make_nest(Quota{.cores = 1}, {}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  EXPECT_GT(std::thread::hardware_concurrency(), 1U)
      << "the bug does not show any more, and the guide is wrong";
}

// The quota is two levels above the process, where its own cgroup says nothing of it.
TEST_F(TheCure, TheBudgetSaysHowManyAreOurs) {
  const auto nest = make_nest(Quota{.cores = 1}, {}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  EXPECT_EQ(budget::read().cpu.threads, 1U);
  EXPECT_EQ(Pool().counters().cpus, 1U);
}

std::optional<budget::Throttling> throttling_of(const sandbox::Cgroup& group) {
  for (const budget::Throttling& level : budget::read_pressure().throttling) {
    if (level.where == group.directory() + "/cpu.stat") return level;
  }
  return std::nullopt;
}

// 16 bursts of 170 ms of work, one in every quarter of a second: two thirds of the core that is
// ours. Answers how long the group with the quota was stopped, summed over CPUs.
std::chrono::milliseconds throttled_with(std::uint32_t threads) {
  constexpr int jobs = 34;
  const auto nest = make_nest(Quota{.cores = 1}, {}, {});
  EXPECT_TRUE(nest.ok()) << nest.error().message;
  EXPECT_TRUE(nest->grandparent.prefer().ok());
  const Inside inside(nest->leaf);
  Pool pool({.policy = Policy::fixed, .minimum = threads, .maximum = threads, .cpus = threads});
  auto next = std::chrono::steady_clock::now();
  for (int burst = 0; burst < 16; ++burst) {
    std::atomic<int> done{0};
    for (int job = 0; job < jobs; ++job) {
      pool.submit([&] {
        support::compute(5ms);
        ++done;
      });
    }
    next = std::max(next + 250ms, std::chrono::steady_clock::now());
    std::this_thread::sleep_until(next);
    while (done != jobs) std::this_thread::sleep_for(1ms);
  }
  pool.drain();
  const auto stat = throttling_of(nest->grandparent);
  EXPECT_TRUE(stat.has_value());
  return std::chrono::duration_cast<std::chrono::milliseconds>(stat ? stat->throttled : 0ns);
}

TEST_F(TheBug, APoolOfTheHostsSizeIsThrottled) {
  if (support::allowed_cpus().size() < 2) GTEST_SKIP() << "one CPU cannot use up more than one";
  EXPECT_GT(throttled_with(8), 0ms) << "the bug does not show any more, and the guide is wrong";
}

TEST_F(TheCure, APoolOfTheBudgetsSizeIsHardlyThrottled) {
  if (support::allowed_cpus().size() < 2) GTEST_SKIP() << "one CPU cannot use up more than one";
  const auto of_the_host = throttled_with(8);
  const auto of_the_budget = throttled_with(1);
  std::printf("throttled: a pool of 8 threads %ld ms, one of the budget's size %ld ms\n",
              of_the_host.count(), of_the_budget.count());
  EXPECT_LT(2 * of_the_budget, of_the_host);
}

}  // namespace
}  // namespace weft
