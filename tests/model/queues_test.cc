// SPDX-License-Identifier: Apache-2.0
// Queues of ready fibers: each that is put in is taken out once, by whoever it may be.
#include <gtest/gtest.h>

#include <array>

#include "expect_pass.h"
#include "model/model.h"
#include "sched/injection_queue.h"
#include "sched/run_queue.h"

namespace weft::model {
namespace {

using fiber::Fiber;
using sched::InjectionQueue;
using sched::RunQueue;

// A few fibers, and how often each was taken.
template <std::size_t count>
struct Taken {
  std::array<Fiber, count> fibers;
  std::array<atomic<int>, count> times{};

  void take(const Fiber* fiber) {
    if (fiber != nullptr) times[static_cast<std::size_t>(fiber - fibers.data())].fetch_add(1);
  }
  void take(RunQueue::Chain chain) {
    std::uint32_t length = chain.length;
    while (const Fiber* const fiber = chain.pop()) {
      take(fiber);
      --length;
    }
    check(length == 0, "a chain is not as long as it says");
  }
  // After all threads: the rest is in the queue, and nothing is lost or there twice.
  void check_all(RunQueue& queue) {
    std::uint32_t left = 0;
    for (; Fiber* const fiber = queue.pop(); ++left) take(fiber);
    check(queue.empty(), "the queue says that there is one, and gives none");
    for (const auto& time : times) check(time.load() == 1, "a fiber was lost, or taken twice");
  }
};

// The owner puts in and takes out; a thief takes half, and puts most of it into another queue.
void pop_against_steal(Program& program) {
  struct State : Taken<3> {
    RunQueue queue;
    RunQueue thiefs_queue;
  };
  auto& state = program.make<State>();
  program.thread([&] {
    state.queue.push(state.fibers[0]);
    RunQueue::Chain chain;
    chain.append(state.fibers[1]);
    chain.append(state.fibers[2]);
    state.queue.push(chain);
    state.take(state.queue.pop());
  });
  program.thread([&] {
    for (int i = 0; i < 2; ++i) {
      RunQueue::Chain stolen = state.queue.steal();
      state.take(stolen.pop());
      state.thiefs_queue.push(stolen);
    }
  });
  program.finally([&] {
    state.take(state.thiefs_queue.take_all());
    const std::uint32_t said = state.queue.length();
    std::uint32_t there = 0;
    for (; Fiber* const fiber = state.queue.pop(); ++there) state.take(fiber);
    check(said == there, "the length is wrong");
    state.check_all(state.queue);
  });
}

// A worker that is given up empties its queue, while others steal from it and put in.
void take_all_against_steal_and_push(Program& program) {
  struct State : Taken<3> {
    RunQueue queue;
  };
  auto& state = program.make<State>();
  state.queue.push(state.fibers[0]);
  state.queue.push(state.fibers[1]);
  program.thread([&] { state.take(state.queue.take_all()); });
  program.thread([&] { state.take(state.queue.steal()); });
  program.thread([&] { state.queue.push(state.fibers[2]); });
  program.finally([&] {
    const std::uint32_t said = state.queue.length();
    std::uint32_t there = 0;
    for (; Fiber* const fiber = state.queue.pop(); ++there) state.take(fiber);
    check(said == there, "the length is wrong");
    state.check_all(state.queue);
  });
}

// Two put in, two take all: each fiber once, and those of one pusher in their order.
void injection(Program& program) {
  struct State : Taken<4> {
    InjectionQueue queue;

    void take_in_order() {
      RunQueue::Chain chain = queue.take_all();
      const Fiber* newest[2] = {nullptr, nullptr};
      while (const Fiber* const fiber = chain.pop()) {
        take(fiber);
        const std::size_t pusher = fiber < &fibers[2] ? 0 : 1;
        check(newest[pusher] < fiber, "the younger one comes first");
        newest[pusher] = fiber;
      }
    }
  };
  auto& state = program.make<State>();
  for (std::size_t pusher = 0; pusher < 2; ++pusher) {
    program.thread([&state, pusher] {
      state.queue.push(state.fibers[2 * pusher]);
      state.queue.push(state.fibers[2 * pusher + 1]);
    });
  }
  for (int i = 0; i < 2; ++i) program.thread([&] { state.take_in_order(); });
  program.finally([&] {
    state.take_in_order();
    check(state.queue.empty(), "the queue is not empty");
    for (const auto& time : state.times) {
      check(time.load() == 1, "a fiber was lost, or taken twice");
    }
  });
}

TEST(Queues, InAllSchedules) {
  expect_all_pass_undelayed(2, pop_against_steal);
  expect_all_pass_undelayed(1, take_all_against_steal_and_push);
  expect_all_pass_undelayed(1, injection);
}
TEST(Queues, PopAgainstSteal) {
  expect_random_pass(100'000, pop_against_steal);
}
TEST(Queues, TakeAllAgainstStealAndPush) {
  expect_random_pass(100'000, take_all_against_steal_and_push);
}
TEST(Queues, Injection) {
  expect_random_pass(100'000, injection);
}

}  // namespace
}  // namespace weft::model
