// SPDX-License-Identifier: Apache-2.0
// What is expected of a program that is right.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "model/model.h"

namespace weft::model {

// Expects that all schedules within the bound pass, and that they are at most a million.
inline void expect_all_pass(std::optional<unsigned> preemption_bound, const Body& body) {
  const Outcome outcome = explore(
      {.search = Search::exhaustive, .schedules = 1'000'000, .preemption_bound = preemption_bound},
      body);
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_TRUE(outcome.complete) << outcome;
}

// The same where every store reaches memory at once, for programs whose stores are too many.
inline void expect_all_pass_undelayed(std::optional<unsigned> preemption_bound, const Body& body) {
  const Outcome outcome = explore({.search = Search::exhaustive,
                                   .schedules = 1'000'000,
                                   .delayed_stores = false,
                                   .preemption_bound = preemption_bound},
                                  body);
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_TRUE(outcome.complete) << outcome;
}

// How many random schedules are tried: WEFT_MODEL_PERCENT of them, where that is set.
inline std::uint64_t to_try(std::uint64_t schedules) {
  const char* const text = std::getenv("WEFT_MODEL_PERCENT");
  const std::uint64_t percent = text == nullptr ? 100 : std::stoull(text);
  return std::max<std::uint64_t>(schedules * percent / 100, 1);
}

inline void expect_random_pass(std::uint64_t schedules, const Body& body) {
  schedules = to_try(schedules);
  const Outcome outcome = explore({.schedules = schedules}, body);
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_EQ(outcome.schedules, schedules + 1);
}

}  // namespace weft::model
