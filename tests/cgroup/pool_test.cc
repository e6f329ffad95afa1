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

#include "tests/support/affinity.h"
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

}  // namespace
}  // namespace weft
