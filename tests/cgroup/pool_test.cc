// SPDX-License-Identifier: Apache-2.0
// A pool that was sized from the CPU budget follows a quota that changes while it works.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include <weft/pool.h>
#include <weft/pressure.h>

#include "tests/support/affinity.h"
#include "tests/support/compute.h"
#include "tests/support/nested_cgroups.h"

namespace weft {
namespace {

using namespace std::chrono_literals;
using sandbox::Quota;
using support::Inside;
using support::make_nest;

// Generous: what is asked is whether, and a loaded machine may take its time.
constexpr auto longest_wait = 20s;

bool becomes(const Pool& pool, std::uint32_t cpus) {
  const auto until = std::chrono::steady_clock::now() + longest_wait;
  while (pool.counters().cpus != cpus) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

class RationInACgroup : public support::CgroupTest {};
class PoolInACgroup : public support::CgroupTest, public testing::WithParamInterface<Policy> {};

TEST_P(PoolInACgroup, FollowsAQuotaWhileJobsRun) {
  if (support::allowed_cpus().size() < 2) GTEST_SKIP() << "one CPU cannot become two";
  const auto nest = make_nest({}, Quota{.cores = 0.5}, {});
  ASSERT_TRUE(nest.ok()) << nest.error().message;
  const Inside inside(nest->leaf);
  std::atomic<std::uint64_t> done{0};
  std::uint64_t accepted = 0;
  {
    PoolOptions options;
    options.policy = GetParam();
    Pool pool(options);
    EXPECT_EQ(pool.counters().cpus, 1U);
    const auto give_jobs = [&] {
      for (int i = 0; i < 200; ++i) {
        const auto answer = pool.submit([&] { done.fetch_add(1); });
        if (answer == Submitted::accepted) ++accepted;
      }
    };
    for (const auto& [cores, cpus] : {std::pair{2.0, 2U}, std::pair{0.5, 1U}, std::pair{2.0, 2U}}) {
      give_jobs();
      ASSERT_TRUE(nest->parent.set_quota(Quota{.cores = cores}).ok());
      EXPECT_TRUE(becomes(pool, cpus)) << cores << " cores";
      give_jobs();
    }
  }
  EXPECT_EQ(done.load(), accepted);
  EXPECT_EQ(accepted, 1200U);
}

std::string name_of(const testing::TestParamInfo<Policy>& info) {
  return info.param == Policy::fixed ? "fixed" : "adaptive";
}

INSTANTIATE_TEST_SUITE_P(Policies, PoolInACgroup, testing::Values(Policy::fixed, Policy::adaptive),
                         name_of);

struct Saturated {
  std::uint64_t throttled_periods = 0;
  std::uint64_t done = 0;
  std::uint64_t held = 0;
};

// Three seconds of jobs of a millisecond, always some of them waiting, in half a core.
Saturated saturate(const PoolOptions& options) {
  const auto nest = make_nest({}, Quota{.cores = 0.5}, {});
  EXPECT_TRUE(nest.ok()) << nest.error().message;
  EXPECT_TRUE(nest->grandparent.prefer().ok());
  const Inside inside(nest->leaf);
  const auto throttled = [&] {
    for (const budget::Throttling& level : budget::read_pressure().throttling) {
      if (level.where == nest->parent.directory() + "/cpu.stat") return level.throttled_periods;
    }
    return std::uint64_t{0};
  };
  Pool pool(options);
  const std::uint64_t before = throttled();
  const auto end = std::chrono::steady_clock::now() + 3s;
  while (std::chrono::steady_clock::now() < end) {
    while (pool.counters().queued < 8) pool.submit([] { support::compute(1ms); });
    std::this_thread::sleep_for(2ms);
  }
  const PoolCounters counters = pool.counters();
  return {throttled() - before, counters.done, counters.held};
}

// Who was told how many CPUs to use asks for no quota, and is stopped by it in most periods.
TEST_F(RationInACgroup, StopsByItselfBeforeTheQuotaDoes) {
  Saturated rationed;
  Saturated free;
  for (int round = 0; round < 2; ++round) {
    for (const bool is_rationed : {true, false}) {
      PoolOptions options;
      if (!is_rationed) options.cpus = 1;
      const Saturated more = saturate(options);
      Saturated& sum = is_rationed ? rationed : free;
      sum.throttled_periods += more.throttled_periods;
      sum.done += more.done;
      sum.held += more.held;
    }
  }
  EXPECT_GT(rationed.held, 0U);
  EXPECT_EQ(free.held, 0U);
  EXPECT_LT(3 * rationed.throttled_periods, free.throttled_periods);
  EXPECT_GT(rationed.done, free.done / 2);
}

}  // namespace
}  // namespace weft
