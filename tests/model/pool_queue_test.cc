// SPDX-License-Identifier: Apache-2.0
// The bounded queue: nothing is lost or given twice, and nobody waits who need not.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include <weft/bounded_queue.h>

#include "base/atomic.h"
#include "expect_pass.h"
#include "model/model.h"
#include "programs/pool_locks.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;

template <class Locks, std::size_t items>
struct State {
  BoundedQueue<int, Locks> queue{1};
  std::array<atomic<int>, items> taken{};

  void take(std::optional<int> item) {
    if (item) taken[static_cast<std::size_t>(*item)].fetch_add(1);
  }
  void take_until_closed() {
    while (const std::optional<int> item = queue.pop()) take(item);
  }
  void check_each_once() const {
    for (const auto& times : taken) check(times.load() == 1, "an item was lost, or given twice");
  }
};

// Two put in more than there is room for, one takes out until the queue is closed.
template <class Locks>
void two_push_one_pops(Program& program) {
  auto& state = program.make<State<Locks, 3>>();
  auto& left = program.make<atomic<int>>(2);
  const auto push = [&](int first, int last) {
    for (int item = first; item <= last; ++item) check(state.queue.push(item), "not accepted");
    if (left.fetch_sub(1) == 1) state.queue.close();
  };
  program.thread([push] { push(0, 1); });
  program.thread([push] { push(2, 2); });
  program.thread([&] { state.take_until_closed(); });
  program.finally([&] { state.check_each_once(); });
}

// Two wait for items that are not to come: both are told that the queue is closed.
template <class Locks>
void two_pop_one_closes(Program& program) {
  auto& state = program.make<State<Locks, 1>>();
  for (int i = 0; i < 2; ++i) program.thread([&] { state.take_until_closed(); });
  program.thread([&] {
    check(state.queue.push(0), "not accepted");
    state.queue.close();
  });
  program.finally([&] { state.check_each_once(); });
}

// What was accepted before the queue was closed is given; what was not, is refused, full or not.
void push_against_close(Program& program) {
  struct Refused : State<FutexLocks, 3> {
    atomic<int> accepted{0};
  };
  auto& state = program.make<Refused>();
  for (int i = 0; i < 2; ++i) {
    program.thread([&state, i] {
      if (state.queue.push(i)) state.accepted.fetch_add(1);
    });
  }
  program.thread([&] { state.queue.close(); });
  program.finally([&] {
    int given = 0;
    while (state.queue.try_pop()) ++given;
    check(given == state.accepted.load(), "accepted and not given, or given and refused");
    check(state.queue.try_push(2) == Pushed::closed, "a closed queue has accepted");
    check(!state.queue.pop(), "a closed and empty queue gives");
  });
}

// Deadlines come when they want: an item is given or still there, never both, never neither.
void deadlines(Program& program) {
  auto& state = program.make<State<FutexLocks, 2>>();
  auto& pushed = program.make<std::array<bool, 2>>();
  program.thread([&] {
    for (std::size_t i = 0; i < 2; ++i) {
      pushed[i] = state.queue.push_for(static_cast<int>(i), 1us) == Pushed::accepted;
    }
  });
  program.thread([&] {
    for (int i = 0; i < 2; ++i) state.take(state.queue.pop_for(1us));
  });
  program.finally([&] {
    while (const std::optional<int> item = state.queue.try_pop()) state.take(item);
    for (std::size_t i = 0; i < 2; ++i) {
      check((state.taken[i].load() == 1) == pushed[i], "lost, or given twice");
    }
  });
}

void expect_caught(const Body& body) {
  const Outcome outcome = explore({.schedules = 20'000}, body);
  ASSERT_TRUE(outcome.failure) << "not caught: " << outcome;
  EXPECT_NE(outcome.failure->what.find("deadlock"), std::string::npos) << outcome;
}

TEST(PoolQueue, InAllSchedulesOfOnePreemption) {
  expect_all_pass_undelayed(1, two_push_one_pops<FutexLocks>);
  expect_all_pass_undelayed(1, two_pop_one_closes<FutexLocks>);
  expect_all_pass_undelayed(1, push_against_close);
}
TEST(PoolQueue, TwoPushOnePops) {
  expect_random_pass(50'000, two_push_one_pops<FutexLocks>);
}
TEST(PoolQueue, TwoPopOneCloses) {
  expect_random_pass(50'000, two_pop_one_closes<FutexLocks>);
}
TEST(PoolQueue, PushAgainstClose) {
  expect_random_pass(50'000, push_against_close);
}
TEST(PoolQueue, Deadlines) {
  expect_random_pass(50'000, deadlines);
}

// The header is not below src/, so its bugs are planted where it calls its locks.
TEST(PoolQueue, AChangeThatTellsNobodyIsCaught) {
  expect_caught(two_push_one_pops<TellsNobody>);
}
TEST(PoolQueue, ACloseThatTellsOneIsCaught) {
  expect_caught(two_pop_one_closes<ClosesForOne>);
}
TEST(PoolQueue, AWaitThatBeginsTooLateIsCaught) {
  expect_caught(two_push_one_pops<WaitsTooLate>);
}

}  // namespace
}  // namespace weft::model
