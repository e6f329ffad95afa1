// SPDX-License-Identifier: Apache-2.0
// Exhaustive search runs every schedule once: as many as combinatorics says there are.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/atomic.h"
#include "model/model.h"

namespace weft::model {
namespace {

struct Counted {
  std::uint64_t schedules;
  std::set<std::string> orders;  // in which the threads came
};

// Explores threads that take `steps` turns each.
Counted count(int threads, int steps, Options options) {
  Counted result{};
  options.search = Search::exhaustive;
  options.schedules = 1'000'000;
  const Outcome outcome = explore(options, [&](Program& program) {
    auto& cell = program.make<atomic<int>>(0);
    auto& order = program.make<std::string>();
    for (int i = 0; i < threads; ++i) {
      program.thread([&cell, &order, i, steps] {
        for (int step = 0; step < steps; ++step) {
          cell.fetch_add(1);
          order += std::to_string(i);
        }
      });
    }
    program.finally([&] { result.orders.insert(order); });
  });
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_TRUE(outcome.complete) << outcome;
  result.schedules = outcome.schedules;
  return result;
}

void expect_each_order_once(std::uint64_t expected, const Counted& search) {
  EXPECT_EQ(search.schedules, expected);
  EXPECT_EQ(search.orders.size(), expected);
}

TEST(Counting, EveryInterleavingIsRunOnce) {
  const Options all{.preemption_bound = std::nullopt};
  expect_each_order_once(1, count(1, 5, all));
  expect_each_order_once(6, count(2, 2, all));       // 4! / (2! 2!)
  expect_each_order_once(20, count(2, 3, all));      // 6! / (3! 3!)
  expect_each_order_once(90, count(3, 2, all));      // 6! / (2! 2! 2!)
  expect_each_order_once(34'650, count(3, 4, all));  // 12! / (4! 4! 4!)
}

TEST(Counting, PreemptionsAreBounded) {
  EXPECT_EQ(count(2, 2, {.preemption_bound = 0}).orders, (std::set<std::string>{"0011", "1100"}));
  EXPECT_EQ(count(2, 2, {.preemption_bound = 1}).orders,
            (std::set<std::string>{"0011", "1100", "0110", "1001"}));
  expect_each_order_once(6, count(2, 2, {.preemption_bound = 2}));
  expect_each_order_once(6, count(3, 9, {.preemption_bound = 0}));  // 3!
}

// Each thread stores and loads, and its store reaches memory some time after: 2 orders of the three
// that begin with the store. Two of these mixed: 6! / (3! 3!) * 2 * 2.
TEST(Counting, BuffersAreActorsOfTheirOwn) {
  const auto store_and_load = [](Program& program) {
    auto& cell = program.make<atomic<int>>(0);
    for (int i = 0; i < 2; ++i) {
      program.thread([&] {
        cell.store(1, std::memory_order_relaxed);
        cell.load(std::memory_order_relaxed);
      });
    }
  };
  Options options{.search = Search::exhaustive, .preemption_bound = std::nullopt};
  EXPECT_EQ(explore(options, store_and_load).schedules, 80U);
  options.delayed_stores = false;
  EXPECT_EQ(explore(options, store_and_load).schedules, 6U);
}

// When both threads sleep and one is woken, it may be either.
TEST(Counting, EveryWaiterIsWokenFirst) {
  struct State {
    atomic<int> cell{0};
    int asleep = 0;  // counted and asleep in one turn
    bool both = false;
    std::string order;
  };
  std::set<std::string> orders;
  const Options options{.search = Search::exhaustive, .preemption_bound = 0};
  const Outcome outcome = explore(options, [&](Program& program) {
    auto& state = program.make<State>();
    for (const char* name : {"a", "b"}) {
      program.thread([&state, name] {
        ++state.asleep;
        state.cell.wait(0);
        state.order += name;
        state.cell.notify_one();
      });
    }
    program.thread([&] {
      state.both = state.asleep == 2;
      state.cell.store(1);
      state.cell.notify_one();
    });
    program.finally([&] {
      if (state.both) orders.insert(state.order);
    });
  });
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(orders, (std::set<std::string>{"ab", "ba"}));
}

// Spinning ends in all schedules, though each turn of the spinner could be followed by another;
// whether it says that it spins or not.
TEST(Counting, SpinningEnds) {
  for (const bool says_so : {true, false}) {
    const Body spin = [says_so](Program& program) {
      auto& ready = program.make<atomic<bool>>(false);
      program.thread([&ready, says_so] {
        while (!ready.load(std::memory_order_relaxed)) {
          if (says_so) base::yield();
        }
      });
      program.thread([&ready] { ready.store(true, std::memory_order_relaxed); });
    };
    // Delaying stores is left to those that say so: the others' schedules would be too many.
    const Outcome all = explore(
        {.search = Search::exhaustive, .delayed_stores = says_so, .step_limit = 6 * spin_limit},
        spin);
    EXPECT_FALSE(all.failure) << all;
    EXPECT_TRUE(all.complete) << all;
    const Outcome some = explore({.schedules = 1000, .step_limit = 6 * spin_limit}, spin);
    EXPECT_FALSE(some.failure) << some;
  }
}

// Two spin, and only a delayed store can end it: it has its turn although there is always a thread
// that can run.
TEST(Counting, SpinnersDoNotKeepAStoreFromMemory) {
  const Outcome outcome =
      explore({.search = Search::exhaustive, .step_limit = 100}, [](Program& program) {
        auto& ready = program.make<atomic<bool>>(false);
        for (int i = 0; i < 2; ++i) {
          program.thread([&] {
            while (!ready.load(std::memory_order_relaxed)) base::yield();
          });
        }
        program.thread([&] { ready.store(true, std::memory_order_relaxed); });
      });
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_TRUE(outcome.complete) << outcome;
}

// A spinner of high priority does not come back after each turn of the thread it waits for.
TEST(Counting, RandomSearchLetsOthersGetOnWhileOneSpins) {
  const Options options{.schedules = 100, .step_limit = 120, .change_points = 0};
  const Outcome outcome = explore(options, [](Program& program) {
    auto& count = program.make<atomic<int>>(0);
    program.thread([&] {
      while (count.load() < 50) base::yield();
    });
    program.thread([&] {
      for (int i = 0; i < 50; ++i) count.fetch_add(1);
    });
  });
  EXPECT_FALSE(outcome.failure) << outcome;
}

}  // namespace
}  // namespace weft::model
