// SPDX-License-Identifier: Apache-2.0
// Waits with a deadline, and the clock they are measured by: time is one more choice.
#include <gtest/gtest.h>

#include <chrono>
#include <climits>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/atomic.h"
#include "model/model.h"
#include "os/backoff.h"
#include "os/clock.h"
#include "os/futex.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
using Clock = os::MonotonicClock;
using Word = atomic<std::uint32_t>;

Options exhaustive() {
  return {.search = Search::exhaustive, .schedules = 1'000'000, .preemption_bound = std::nullopt};
}

void expect_all_pass(std::uint64_t schedules, const Body& body) {
  const Outcome outcome = explore(exhaustive(), body);
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_TRUE(outcome.complete) << outcome;
  EXPECT_EQ(outcome.schedules, schedules);
}

// What the sleeper finds when it returns: whether it was told, and whether its time is over.
std::set<std::string> seen_by_sleeper(const Options& options) {
  std::set<std::string> seen;
  const Outcome outcome = explore(options, [&](Program& program) {
    auto& word = program.make<Word>(0U);
    program.thread([&] {
      const os::Instant deadline = Clock::now() + 5us;
      os::futex_wait(word, 0, deadline);
      const bool over = Clock::now() >= deadline;
      const bool told = word.load() == 1;
      check(over || told, "it returned for no reason");
      seen.insert(std::string(told ? "told" : "not told") + (over ? ", over" : ""));
    });
    program.thread([&] {
      word.store(1);
      os::futex_wake(word);
    });
  });
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_EQ(outcome.complete, options.search == Search::exhaustive);
  return seen;
}

TEST(Waiting, DeadlineIsOverBeforeOrAfterTheWake) {
  const std::set<std::string> all{"told", "told, over", "not told, over"};
  EXPECT_EQ(seen_by_sleeper(exhaustive()), all);
  EXPECT_EQ(seen_by_sleeper({.schedules = 1'000}), all);
}

TEST(Waiting, WithoutADeadlineNobodyReturnsUntold) {
  // The wait comes first, or after the store: then it and the load mix with the wake.
  expect_all_pass(1 + 3, [](Program& program) {
    auto& word = program.make<Word>(0U);
    program.thread([&] {
      os::futex_wait(word, 0);
      check(word.load() == 1, "not told");
    });
    program.thread([&] {
      word.store(1);
      os::futex_wake(word);
    });
  });
}

// The sleeper waits, its deadline is chosen, it goes on; the other's only turn is somewhere.
TEST(Waiting, EveryPlaceOfADeadlineIsRunOnce) {
  expect_all_pass(4, [](Program& program) {
    auto& word = program.make<Word>(0U);
    auto& other = program.make<atomic<int>>(0);
    program.thread([&] { os::futex_wait(word, 0, Clock::now() + 1ns); });
    program.thread([&] { other.fetch_add(1); });
  });
  // Woken too early, or in time, or after the deadline but before or after the sleeper goes on.
  expect_all_pass(4, [](Program& program) {
    auto& word = program.make<Word>(0U);
    program.thread([&] { os::futex_wait(word, 0, Clock::now() + 1ns); });
    program.thread([&] { os::futex_wake(word); });
  });
}

// Without a preemption time still passes wherever it can.
TEST(Waiting, ADeadlineIsNoPreemption) {
  std::set<int> done_before;
  Options options = exhaustive();
  options.preemption_bound = 0;
  const Outcome outcome = explore(options, [&](Program& program) {
    auto& word = program.make<Word>(0U);
    auto& done = program.make<atomic<int>>(0);
    const os::Instant start = Clock::now();
    program.thread([&, start] { os::futex_wait(word, 0, start + 1ns); });
    program.thread([&, start] {
      int before = 0;
      for (int i = 0; i < 3; ++i) {
        done.fetch_add(1);
        if (Clock::now() == start) ++before;
      }
      done_before.insert(before);
    });
  });
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(done_before, (std::set<int>{0, 1, 2, 3}));
}

TEST(Waiting, IsADeadlockOnlyWithoutADeadline) {
  const auto outcome_until = [](os::Instant::duration patience) {
    return explore(exhaustive(), [patience](Program& program) {
      auto& first = program.make<Word>(0U);
      auto& second = program.make<Word>(0U);
      program.thread([&] { os::futex_wait(first, 0); });
      program.thread([&, patience] {
        const bool for_ever = patience == os::Instant::duration::max();
        os::futex_wait(second, 0, for_ever ? os::never : Clock::now() + patience);
        first.store(1);
        os::futex_wake(first);
      });
    });
  };
  const Outcome patient = outcome_until(os::Instant::duration::max());
  ASSERT_TRUE(patient.failure);
  EXPECT_EQ(patient.failure->what, "deadlock: thread 0 waits on a0, thread 1 waits on a1");
  const Outcome impatient = outcome_until(1s);
  EXPECT_FALSE(impatient.failure) << impatient;
}

TEST(Waiting, AnotherValueOrADeadlineInThePastReturnsAtOnce) {
  expect_all_pass(1, [](Program& program) {
    auto& word = program.make<Word>(0U);
    program.thread([&] {
      const os::Instant start = Clock::now();
      os::futex_wait(word, 1);
      os::futex_wait(word, 1, start + 1s);
      os::futex_wait(word, 0, start);
      os::futex_wait(word, 0, os::Instant{});
      check(Clock::now() == start, "time has passed");
    });
  });
}

// The body, the threads and the end have one clock, which jumps to each deadline in turn.
TEST(Waiting, TimePassesInOrder) {
  std::set<std::string> orders;
  const Outcome outcome = explore(exhaustive(), [&](Program& program) {
    struct State {
      Word word{0};
      os::Instant last;
      std::string order;
    };
    auto& state = program.make<State>();
    const os::Instant start = Clock::now();
    state.last = start;
    for (const int patience : {3, 1, 2}) {
      program.thread([&, start, patience] {
        const os::Instant deadline = start + std::chrono::nanoseconds{patience};
        os::futex_wait(state.word, 0, deadline);
        const os::Instant now = Clock::now();
        check(now >= deadline, "not over");
        check(now >= state.last, "time has gone back");
        state.last = now;
        state.order += std::to_string(patience);
      });
    }
    program.finally([&, start] {
      check(Clock::now() == start + 3ns, "time has passed beyond the last deadline");
      orders.insert(state.order);
    });
  });
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_TRUE(outcome.complete);
  // Who is ready first need not be the first to run.
  EXPECT_EQ(orders.size(), 6U);
}

// Two wait, are over, go on: 6! / (3! 3!) orders. Of these 4 and 4 are but one and one each, as one
// wait begins when its deadline is over and ends at once; and in 6 the later deadline is over while
// the earlier one waits.
TEST(Waiting, OnlyTheEarliestDeadlineIsChosen) {
  const auto of_two = [](int first, int second) {
    return [first, second](Program& program) {
      auto& word = program.make<Word>(0U);
      for (const int patience : {first, second}) {
        const os::Instant deadline = Clock::now() + std::chrono::nanoseconds{patience};
        program.thread([&word, deadline] { os::futex_wait(word, 0, deadline); });
      }
    };
  };
  expect_all_pass(20 - 4 + 2 - 4 + 2, of_two(1, 1));
  expect_all_pass(20 - 4 + 2 - 6, of_two(1, 2));
  expect_all_pass(20 - 4 + 2 - 6, of_two(2, 1));
}

std::set<std::string> woken_of_three(int count) {
  std::set<std::string> sets;
  const Outcome outcome = explore(exhaustive(), [&](Program& program) {
    struct State {
      Word word{0};
      int asleep = 0;
      bool all = false;
      std::string woken = "...";
    };
    auto& state = program.make<State>();
    for (std::size_t i = 0; i < 3; ++i) {
      program.thread([&state, i] {
        const os::Instant deadline = Clock::now() + 1ns;
        ++state.asleep;
        os::futex_wait(state.word, 0, deadline);
        if (Clock::now() < deadline) state.woken[i] = 'w';
      });
    }
    program.thread([&state, count] {
      const os::Instant start = Clock::now();
      os::futex_wake(state.word, count);
      state.all = state.asleep == 3 && Clock::now() == start;
    });
    program.finally([&] {
      if (state.all) sets.insert(state.woken);
    });
  });
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_TRUE(outcome.complete);
  return sets;
}

// Who was woken may find the deadline over none the less; so fewer are seen in some schedules.
TEST(Waiting, WakesAsManyAsItSaysInEverySelection) {
  const std::set<std::string> one{"...", "w..", ".w.", "..w"};
  EXPECT_EQ(woken_of_three(1), one);
  std::set<std::string> two = one;
  two.insert({"ww.", "w.w", ".ww"});
  EXPECT_EQ(woken_of_three(2), two);
  std::set<std::string> three = two;
  three.insert("www");
  EXPECT_EQ(woken_of_three(3), three);
  EXPECT_EQ(woken_of_three(INT_MAX), three);
}

TEST(Waiting, AWordMayBeGoneWhenItIsWoken) {
  const Body body = [](Program& program) {
    auto& word = program.make<std::optional<Word>>(std::in_place, 0U);
    program.thread([&] {
      while (word->load() == 0) os::futex_wait(*word, 0);
      word.reset();
    });
    program.thread([&] {
      Word& only_a_name = *word;
      only_a_name.store(1);
      os::futex_wake(only_a_name);
    });
  };
  const Outcome outcome = explore(exhaustive(), body);
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_TRUE(outcome.complete) << outcome;
}

// Someone who looks at the clock again and again, and someone who spins, leave the others their
// turns, and time its own.
TEST(Waiting, ThoseWhoWaitByTheClockLetOthersGetOn) {
  const Body body = [](Program& program) {
    struct State {
      Word stop{0};
      Word never_woken{0};
      atomic<bool> late{false};
    };
    auto& state = program.make<State>();
    program.thread([&] {
      while (state.stop.load() == 0) os::futex_wait(state.never_woken, 0, Clock::now() + 1ms);
    });
    program.thread([&] {
      Word alone{0};
      os::futex_wait(alone, 0, Clock::now() + 10ms);
      state.late.store(true);
    });
    program.thread([&] {
      for (os::Backoff backoff; !state.late.load();) backoff.pause();
      state.stop.store(1);
    });
  };
  const Outcome some = explore({.schedules = 10'000, .step_limit = 500}, body);
  EXPECT_FALSE(some.failure) << some;
  Options options = exhaustive();
  options.schedules = 20'000;
  options.preemption_bound = 1;
  options.step_limit = 500;
  const Outcome all = explore(options, body);
  EXPECT_FALSE(all.failure) << all;
}

// A condition that gives up at its deadline, and takes that for "nobody has told me".
void gives_up(Program& program) {
  struct State {
    Word told{0};
    atomic<bool> gave_up{false};
  };
  auto& state = program.make<State>();
  program.thread([&] {
    const os::Instant deadline = Clock::now() + 7us;
    while (state.told.load() == 0) {
      if (Clock::now() >= deadline) return state.gave_up.store(true);
      os::futex_wait(state.told, 0, deadline);
    }
  });
  program.thread([&] {
    state.told.store(1);
    os::futex_wake(state.told);
    check(!state.gave_up.load(), "told, and gave up all the same");
  });
}

TEST(Waiting, AFailureWithADeadlineComesAgain) {
  for (const Options& options : {Options{}, exhaustive()}) {
    const Outcome outcome = explore(options, gives_up);
    ASSERT_TRUE(outcome.failure) << outcome;
    const Outcome again = replay({}, outcome.failure->choices, gives_up);
    ASSERT_TRUE(again.failure) << again;
    EXPECT_EQ(again.failure->what, outcome.failure->what);
    EXPECT_EQ(again.failure->trace, outcome.failure->trace);
    if (!outcome.failure->seed) continue;
    const Outcome by_seed = explore({.schedules = 1, .seed = *outcome.failure->seed}, gives_up);
    ASSERT_TRUE(by_seed.failure) << by_seed;
    EXPECT_EQ(by_seed.failure->trace, outcome.failure->trace);
  }
}

TEST(Waiting, TheTraceTellsOfTime) {
  const Body body = [](Program& program) {
    auto& word = program.make<std::optional<Word>>(std::in_place, 0U);
    program.thread([&] {
      os::futex_wait(*word, 0, Clock::now() + 5us);
      Word& gone = *word;
      os::futex_wake(gone);
      word.reset();
      os::futex_wake(gone);
      check(false, "the end");
    });
  };
  const Outcome outcome = replay({}, "", body);
  ASSERT_TRUE(outcome.failure);
  const std::vector<std::string> expected{
      "0  thread 0 wait a0 was 0, blocks until 5000 ns",
      "1  thread 0's deadline is over, 5000 ns",
      "2  thread 0 wake a0",
      "3  thread 0 wake",
  };
  EXPECT_EQ(outcome.failure->trace, expected);
}

// Threads that nobody schedules have the kernel's clock and futex.
TEST(Waiting, OutsideOfAScheduleIsTheKernels) {
  const os::Instant start = Clock::now();
  Word word{0};
  os::futex_wait(word, 0, start + 2ms);
  EXPECT_GE(Clock::now(), start + 2ms);
  std::thread other([&] {
    word.store(1);
    os::futex_wake(word, INT_MAX);
  });
  while (word.load() == 0) os::futex_wait(word, 0);
  other.join();
}

}  // namespace
}  // namespace weft::model
