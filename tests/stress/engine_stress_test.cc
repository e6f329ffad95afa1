// SPDX-License-Identifier: Apache-2.0
// The short form of the stress: fewer fibers, one seed that changes with every run and is printed.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <iostream>

#include "stress/mixed.h"

namespace weft::stress {
namespace {

std::uint64_t fresh_seed() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return static_cast<std::uint64_t>(now) % 1'000'000'000;
}

class StressTest : public ::testing::TestWithParam<std::uint32_t> {};

// Without a monitor nothing but the scheduler itself keeps it going: a lost wake-up is a hang.
TEST_P(StressTest, MixWithoutMonitor) {
  const std::uint64_t seed = fresh_seed();
  std::cout << "seed " << seed << '\n';
  run_mix({.workers = GetParam(), .fibers = 300, .seed = seed, .monitored = false});
}

TEST_P(StressTest, Mix) {
  const std::uint64_t seed = fresh_seed();
  std::cout << "seed " << seed << '\n';
  run_mix({.workers = GetParam(), .fibers = 1'000, .seed = seed});
}

TEST_P(StressTest, PingPong) {
  run_ping_pong(GetParam(), 20'000, false);
}

INSTANTIATE_TEST_SUITE_P(Workers, StressTest, ::testing::Values(1U, 2U, 4U, 8U));

}  // namespace
}  // namespace weft::stress
