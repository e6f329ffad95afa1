// SPDX-License-Identifier: Apache-2.0
// Strategies, driven by hand on a small tree of choices.
#include "model/strategy.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

namespace weft::model {
namespace {

constexpr std::array<Actor, 3> three_threads{0, 1, 2};

TEST(ExhaustiveStrategy, VisitsEveryLeafOnce) {
  const auto strategy = make_exhaustive_strategy({.preemption_bound = std::nullopt});
  std::set<std::string> leaves;
  int visited = 0;
  while (strategy->begin()) {
    // The second choice depends on the first, as it does in programs.
    const std::size_t first = *strategy->choose_actor(three_threads, true);
    const std::size_t second = first == 1 ? *strategy->choose_waiter(4) : 0;
    leaves.insert(std::to_string(first) + std::to_string(second));
    ++visited;
  }
  EXPECT_EQ(leaves, (std::set<std::string>{"00", "10", "11", "12", "13", "20"}));
  EXPECT_EQ(visited, 6);
  EXPECT_TRUE(strategy->complete());
}

TEST(ExhaustiveStrategy, DoesNotPreemptBeyondTheBound) {
  for (const Actor no_thread : {buffer_actor(0), deadline_actor(2)}) {
    const auto strategy = make_exhaustive_strategy({.preemption_bound = 1});
    const std::array<Actor, 3> actors{0, 1, no_thread};
    std::set<std::string> leaves;
    while (strategy->begin()) {
      std::string leaf;
      for (int i = 0; i < 2; ++i) leaf += std::to_string(*strategy->choose_actor(actors, true));
      leaves.insert(leaf);
    }
    // 1 is a preemption, and 2 is none: everything but two preemptions.
    EXPECT_EQ(leaves, (std::set<std::string>{"00", "01", "02", "10", "12", "20", "21", "22"}));
  }
}

TEST(ExhaustiveStrategy, StopsAtTheLimit) {
  const auto strategy = make_exhaustive_strategy({.schedules = 2});
  int visited = 0;
  for (; strategy->begin(); ++visited) strategy->choose_waiter(3);
  EXPECT_EQ(visited, 2);
  EXPECT_FALSE(strategy->complete());
}

TEST(ExhaustiveStrategy, NoticesAnotherProgram) {
  const auto strategy = make_exhaustive_strategy({});
  ASSERT_TRUE(strategy->begin());
  EXPECT_EQ(strategy->choose_waiter(3), 0U);
  ASSERT_TRUE(strategy->begin());
  EXPECT_EQ(strategy->choose_waiter(2), std::nullopt);
}

std::string choices_of_one_schedule(Strategy& strategy) {
  std::string choices;
  for (int i = 0; i < 50; ++i) {
    choices += std::to_string(*strategy.choose_actor(three_threads, true));
    if (i % 10 == 0) strategy.yielded(1);
    if (i % 7 == 0) choices += std::to_string(*strategy.choose_waiter(9));
  }
  return choices;
}

TEST(RandomStrategy, RepeatsAScheduleByItsSeed) {
  const auto all = make_random_strategy({.schedules = 20, .seed = 5});
  ASSERT_TRUE(all->begin());
  EXPECT_EQ(all->seed(), std::nullopt);
  const std::string never_preempts = choices_of_one_schedule(*all);
  std::set<std::string> seen;
  for (std::uint64_t seed = 5; seed < 25; ++seed) {
    ASSERT_TRUE(all->begin());
    EXPECT_EQ(all->seed(), seed);
    const std::string choices = choices_of_one_schedule(*all);
    seen.insert(choices);

    const auto one = make_random_strategy({.schedules = 1, .seed = seed});
    ASSERT_TRUE(one->begin());
    EXPECT_EQ(choices_of_one_schedule(*one), never_preempts);
    ASSERT_TRUE(one->begin());
    EXPECT_EQ(choices_of_one_schedule(*one), choices);
    EXPECT_FALSE(one->begin());
  }
  EXPECT_FALSE(all->begin());
  EXPECT_EQ(seen.size(), 20U);
}

TEST(RandomStrategy, PrefersOthersToWhoYielded) {
  const auto strategy = make_random_strategy({.schedules = 100, .change_points = 0});
  ASSERT_TRUE(strategy->begin());
  while (strategy->begin()) {
    const Actor first = three_threads[*strategy->choose_actor(three_threads, true)];
    EXPECT_EQ(three_threads[*strategy->choose_actor(three_threads, true)], first);
    strategy->yielded(first);
    EXPECT_NE(three_threads[*strategy->choose_actor(three_threads, true)], first);
  }
}

// A deadline that was over may be over next at once, or long after the others.
TEST(RandomStrategy, PutsADeadlineAnywhereAfterItWasOver) {
  const auto strategy = make_random_strategy({.schedules = 100, .change_points = 0});
  ASSERT_TRUE(strategy->begin());
  const std::array<Actor, 3> actors{0, 1, deadline_actor(1)};
  std::set<std::size_t> chosen;
  while (strategy->begin()) {
    strategy->yielded(deadline_actor(1));
    chosen.insert(*strategy->choose_actor(actors, true));
  }
  EXPECT_EQ(chosen, (std::set<std::size_t>{0, 1, 2}));
}

TEST(ReplayStrategy, FollowsTheListAndThenTakesTheFirst) {
  const auto strategy = make_replay_strategy({2, 1});
  ASSERT_TRUE(strategy->begin());
  EXPECT_EQ(strategy->choose_actor(three_threads, true), 2U);
  EXPECT_EQ(strategy->choose_waiter(2), 1U);
  EXPECT_EQ(strategy->choose_actor(three_threads, false), 0U);
  EXPECT_FALSE(strategy->begin());
}

TEST(ReplayStrategy, RefusesAChoiceThatIsNotThere) {
  const auto strategy = make_replay_strategy({3});
  ASSERT_TRUE(strategy->begin());
  EXPECT_EQ(strategy->choose_actor(three_threads, true), std::nullopt);
}

}  // namespace
}  // namespace weft::model
