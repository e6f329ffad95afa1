// SPDX-License-Identifier: Apache-2.0
// What is expected of every mutant.
#include <gtest/gtest.h>

#include <algorithm>

#include "mutants/mutant.h"

namespace weft::model {
namespace {

// The outcome is the bug that was planted, and comes again with the same choices.
void expect_found(const Mutant& mutant, const Options& options, const Outcome& outcome) {
  ASSERT_TRUE(outcome.failure) << "not found: " << mutant.planted << "; " << outcome;
  const Failure& failure = *outcome.failure;
  const auto in_text = [&](const std::string& part) {
    return failure.what.find(part) != std::string::npos;
  };
  EXPECT_TRUE(std::any_of(mutant.found_as.begin(), mutant.found_as.end(), in_text)) << outcome;

  const Outcome again = replay(options, failure.choices, mutant.body);
  ASSERT_TRUE(again.failure) << again;
  EXPECT_EQ(again.failure->what, failure.what);
  EXPECT_EQ(again.failure->choices, failure.choices);
  EXPECT_EQ(again.failure->trace, failure.trace);
}

}  // namespace

void expect_caught(const Mutant& mutant) {
  for (const std::uint64_t seed : {1U, 1'000'000U, 123'456'789U}) {
    SCOPED_TRACE("random search");
    const Options options{.search = Search::random, .schedules = 10'000, .seed = seed};
    expect_found(mutant, options, explore(options, mutant.body));
  }
  for (const bool delayed_stores : {true, false}) {
    SCOPED_TRACE(delayed_stores ? "exhaustive search" : "exhaustive search, no delayed stores");
    const Options options{
        .search = Search::exhaustive, .schedules = 1'000'000, .delayed_stores = delayed_stores};
    const Outcome outcome = explore(options, mutant.body);
    if (delayed_stores || !mutant.needs_delayed_stores) {
      expect_found(mutant, options, outcome);
    } else {
      EXPECT_FALSE(outcome.failure) << outcome;
      EXPECT_TRUE(outcome.complete) << outcome;
    }
  }
}

}  // namespace weft::model
