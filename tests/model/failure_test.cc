// SPDX-License-Identifier: Apache-2.0
// Every kind of failure is told as what it is, and comes again from its seed and from its choices.
#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/atomic.h"
#include "model/model.h"
#include "programs/counter.h"

namespace weft::model {
namespace {

Options exhaustive() {
  return {.search = Search::exhaustive};
}

std::string failure_of(const Options& options, const Body& body) {
  const Outcome outcome = explore(options, body);
  return outcome.failure ? outcome.failure->what : "";
}

TEST(Failure, NamesTheThreadWhoseCheckFailed) {
  EXPECT_EQ(failure_of(exhaustive(),
                       [](Program& program) {
                         program.thread([] {});
                         program.thread([] { check(false, "of course"); });
                       }),
            "thread 1: of course");
}

TEST(Failure, OfWhatIsDoneAtTheEndEndsIt) {
  bool went_on = false;
  EXPECT_EQ(failure_of(exhaustive(),
                       [&](Program& program) {
                         program.thread([] {});
                         program.finally([&] {
                           check(false, "wrong at the end");
                           went_on = true;
                         });
                         program.finally([&] { went_on = true; });
                       }),
            "wrong at the end");
  EXPECT_FALSE(went_on);
}

TEST(Failure, IsAnExceptionThatEscapes) {
  const auto throwing = [] { throw std::runtime_error("thrown"); };
  EXPECT_EQ(failure_of(exhaustive(), [&](Program& program) { program.thread(throwing); }),
            "thread 0: an exception left the thread: thrown");
  EXPECT_EQ(failure_of(exhaustive(), [&](Program& program) { program.finally(throwing); }),
            "an exception left what is done at the end: thrown");
  EXPECT_EQ(failure_of(exhaustive(), [&](Program&) { throwing(); }),
            "an exception left the body: thrown");
}

TEST(Failure, IsADeadlockWithWhoWaitsOnWhat) {
  EXPECT_EQ(failure_of(exhaustive(),
                       [](Program& program) {
                         auto& first = program.make<atomic<int>>(0);
                         auto& second = program.make<atomic<int>>(0);
                         program.thread([&] { first.wait(0); });
                         program.thread([&] { first.store(0), first.notify_all(); });
                         program.thread([&] { second.wait(0); });
                       }),
            "deadlock: thread 0 waits on a0, thread 2 waits on a1");
}

TEST(Failure, IsALiveLockAboveTheStepLimit) {
  Options options = exhaustive();
  options.step_limit = 500;
  EXPECT_EQ(failure_of(options,
                       [](Program& program) {
                         auto& never = program.make<atomic<bool>>(false);
                         program.thread([&] {
                           while (!never.load()) base::yield();
                         });
                       }),
            "live-lock: not over after 500 steps");
}

TEST(Failure, IsAnAtomicThatDiesWhileAStoreToItIsOnItsWay) {
  const auto destroyed = [](Program& program) {
    auto& cell = program.make<std::optional<atomic<int>>>(std::in_place, 0);
    program.thread([&] { cell->store(1, std::memory_order_relaxed); });
    program.thread([&] {
      if (cell->load() == 0) cell.reset();
    });
  };
  EXPECT_EQ(failure_of(exhaustive(), destroyed),
            "thread 1: a0 is destroyed while thread 0's store to it is on its way");
}

TEST(Failure, IsAnAtomicThatDiesWhileAThreadWaitsOnIt) {
  EXPECT_EQ(failure_of(exhaustive(),
                       [](Program& program) {
                         auto& cell = program.make<std::optional<atomic<int>>>(std::in_place, 0);
                         program.thread([&] { cell->wait(0); });
                         program.thread([&] { cell.reset(); });
                       }),
            "thread 1: a0 is destroyed while thread 0 waits on it");
}

// A thread's own atomics on its stack come and go, with stores to them still in its buffer.
TEST(Failure, IsNotAnAtomicThatItsOwnThreadDestroys) {
  const Outcome outcome = explore(exhaustive(), [](Program& program) {
    auto& sum = program.make<atomic<int>>(0);
    for (int i = 0; i < 2; ++i) {
      program.thread([&] {
        for (int round = 1; round <= 2; ++round) {
          sum.fetch_add(1, std::memory_order_relaxed);
          atomic<int> local{0};
          local.store(round, std::memory_order_relaxed);
          check(local.load() == round, "not its own");
        }
      });
    }
    program.finally([&] { check(sum.load() == 4, "wrong sum"); });
  });
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_TRUE(outcome.complete);
}

TEST(Failure, IsAProgramThatIsNotTheSameEachTime) {
  int schedule = 0;
  EXPECT_NE(failure_of(exhaustive(),
                       [&](Program& program) {
                         ++schedule;
                         auto& cell = program.make<atomic<int>>(0);
                         for (int i = 0; i < 2 + schedule % 2; ++i) program.thread([&] { ++cell; });
                       })
                .find("did something else"),
            std::string::npos);
}

void lost_update(Program& program) {
  struct LoadAndStore {
    static void increment(atomic<int>& counter) { counter.store(counter.load() + 1); }
  };
  counter<LoadAndStore>(program);
}

TEST(Replay, FromTheSeedGivesTheSameTrace) {
  const Outcome outcome = explore({.seed = 77}, lost_update);
  ASSERT_TRUE(outcome.failure);
  ASSERT_TRUE(outcome.failure->seed) << outcome;

  const Outcome again = explore({.schedules = 1, .seed = *outcome.failure->seed}, lost_update);
  ASSERT_TRUE(again.failure) << again;
  EXPECT_EQ(again.failure->seed, outcome.failure->seed);
  EXPECT_EQ(again.failure->what, outcome.failure->what);
  EXPECT_EQ(again.failure->choices, outcome.failure->choices);
  EXPECT_EQ(again.failure->trace, outcome.failure->trace);
}

TEST(Replay, FromTheChoicesGivesTheSameTrace) {
  const Outcome outcome = explore({.seed = 77}, lost_update);
  ASSERT_TRUE(outcome.failure);
  const Outcome again = replay({}, outcome.failure->choices, lost_update);
  ASSERT_TRUE(again.failure) << again;
  EXPECT_EQ(again.failure->trace, outcome.failure->trace);
  EXPECT_EQ(again.schedules, 1U);
}

// Which waiter is woken is a choice like any other: here only one of them fails.
TEST(Replay, WakesTheSameWaiter) {
  const Body body = [](Program& program) {
    struct State {
      atomic<int> cell{0};
      int asleep = 0;
      bool both = false;
    };
    auto& state = program.make<State>();
    for (int i = 0; i < 3; ++i) {
      program.thread([&state, i] {
        ++state.asleep;
        state.cell.wait(0);
        check(!std::exchange(state.both, false) || i != 2, "the last was woken first");
        state.cell.notify_one();
      });
    }
    program.thread([&state] {
      state.both = state.asleep == 3;
      state.cell.store(1);
      state.cell.notify_one();
    });
  };
  const Outcome outcome = explore(exhaustive(), body);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->what, "thread 2: the last was woken first");
  const Outcome again = replay({}, outcome.failure->choices, body);
  ASSERT_TRUE(again.failure) << again;
  EXPECT_EQ(again.failure->trace, outcome.failure->trace);
}

TEST(Replay, OfOtherChoicesIsAnotherSchedule) {
  EXPECT_FALSE(replay({}, "", lost_update).failure) << "without a preemption no update is lost";
  const Outcome outcome = replay({}, "31", lost_update);
  ASSERT_TRUE(outcome.failure);
  EXPECT_NE(outcome.failure->what.find("the choices are not of this program"), std::string::npos);
  EXPECT_THROW(replay({}, "no choices", lost_update), std::invalid_argument);
}

TEST(Trace, SaysWhatEachStepDid) {
  const Body body = [](Program& program) {
    auto& cell = program.make<atomic<int>>(0);
    auto& pointer = program.make<atomic<int*>>(nullptr);
    auto& pointee = program.make<int>(0);
    program.thread([&] {
      cell.store(7, std::memory_order_relaxed);
      pointer.exchange(&pointee);
      int expected = 3;
      cell.compare_exchange_strong(expected, 4);
      base::yield();
      cell.wait(7);
    });
  };
  const Outcome outcome = replay({}, "", body);
  ASSERT_TRUE(outcome.failure);
  const std::vector<std::string> expected{
      "0  thread 0 store a0 now 7, delayed",
      "1  thread 0's delayed store reaches memory a0 now 7",
      "2  thread 0 exchange a1 was null now p1",
      "3  thread 0 compare_exchange a0 was 7",
      "4  thread 0 yields",
      "5  thread 0 wait a0 was 7, blocks",
  };
  EXPECT_EQ(outcome.failure->trace, expected);

  const Outcome shorter = replay({.trace_steps = 1}, "", body);
  EXPECT_EQ(shorter.failure->trace, std::vector<std::string>{expected.back()});

  std::ostringstream text;
  text << outcome;
  EXPECT_NE(text.str().find("deadlock: thread 0 waits on a0"), std::string::npos);
  EXPECT_NE(text.str().find(expected[2]), std::string::npos);
}

TEST(Explore, RefusesTooManyThreads) {
  const auto program_of = [](std::size_t threads) {
    return [threads](Program& program) {
      auto& cell = program.make<atomic<int>>(0);
      for (std::size_t i = 0; i < threads; ++i) program.thread([&] { ++cell; });
      program.finally(
          [&cell, threads] { check(cell.load() == static_cast<int>(threads), "lost"); });
    };
  };
  EXPECT_THROW(explore({}, program_of(most_threads + 1)), std::invalid_argument);
  EXPECT_FALSE(explore({.schedules = 100}, program_of(most_threads)).failure);
}

TEST(CheckDeathTest, OutsideOfAScheduleEndsTheProcess) {
  check(true, "nothing happens");
  EXPECT_DEATH(check(false, "nobody to tell"), "outside of a schedule: nobody to tell");
}

}  // namespace
}  // namespace weft::model
