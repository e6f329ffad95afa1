// SPDX-License-Identifier: Apache-2.0
// Runs requests that hop, prints what they did, and expects that none was ever another.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "tests/kit/count.h"
#include "tests/kit/hops.h"

namespace weft::kit {

// A seed of the clock's, unless one is asked for again by WEFT_KIT_SEED.
inline std::uint64_t seed_of_today() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return number_of("WEFT_KIT_SEED", static_cast<std::uint64_t>(now) % 1'000'000'000);
}

inline void run_and_expect_no_bleeding(Hops& hops, std::uint64_t requests, std::uint64_t seed) {
  std::printf("WEFT_KIT_SEED=%lu WEFT_KIT_REQUESTS=%lu\n", seed, requests);
  const GuardMisuses before = guard_misuses();
  hops.run(requests);
  const HopsReport report = hops.report();
  std::printf("%lu requests looked %lu times; a thread_local would have been wrong %lu times\n",
              report.ended, report.looks, report.wrong_by_thread);
  for (const auto& [where, times] : report.hops) {
    std::printf("  %-11s %9lu hops\n", where.c_str(), times);
  }
  EXPECT_EQ(report.ended, requests);
  EXPECT_EQ(report.wrong, 0U);
  for (const std::string& complaint : report.complaints) ADD_FAILURE() << complaint;
  EXPECT_GT(report.wrong_by_thread, requests) << "the hops were none";
  EXPECT_EQ(guard_misuses().on_another_strand, before.on_another_strand);
  EXPECT_EQ(guard_misuses().out_of_order, before.out_of_order);
}

}  // namespace weft::kit
