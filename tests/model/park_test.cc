// SPDX-License-Identifier: Apache-2.0
// park() and unpark(), at home and away: no unpark is lost, whether a deadline is over or not.
#include "sched/park.h"

#include <gtest/gtest.h>

#include <chrono>

#include "expect_pass.h"
#include "fiber/kernel_threads.h"
#include "model/model.h"
#include "programs/engine.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
using fiber::ParkKind;

// What the waiter waits for, said in two parts.
struct Told {
  fiber::Fiber* waiter = nullptr;  // known before anybody tells
  atomic<bool> first{false};
  atomic<bool> second{false};

  // What every waker does: says it, and unparks.
  void tell(atomic<bool>& what) {
    what.store(true, std::memory_order_release);
    sched::unpark(*waiter);
  }
  // What every waiter does. Answers whether it was told.
  static bool wait_for(const atomic<bool>& what, os::Instant deadline = os::never) {
    while (!what.load(std::memory_order_acquire)) {
      if (deadline != os::never && os::MonotonicClock::now() >= deadline) return false;
      sched::park(ParkKind::other, &what, deadline);
    }
    return true;
  }
};

// Waits for one by the clock, gives up or not, and then for the other for as long as it takes.
void wait_by_the_clock(Told& told) {
  const os::Instant deadline = os::MonotonicClock::now() + 1ms;
  const bool in_time = Told::wait_for(told.first, deadline);
  check(in_time || os::MonotonicClock::now() >= deadline, "gave up before the deadline");
  Told::wait_for(told.second);
}

// Two wakers: the second often finds a permit that the first has given.
void at_home_with_two_wakers(Program& program) {
  auto& told = program.make<Told>();
  auto& record = program.make<fiber::Record>(0);
  told.waiter = &record.fiber();
  program.thread([&] {
    const fiber::Identity identity(record);
    wait_by_the_clock(told);
    Told::wait_for(told.first);
  });
  program.thread([&] { told.tell(told.first); });
  program.thread([&] { told.tell(told.second); });
}

// The only wake comes while it waits for something else, gives up, or waits again.
void at_home_by_the_clock(Program& program) {
  auto& told = program.make<Told>();
  auto& record = program.make<fiber::Record>(0);
  told.waiter = &record.fiber();
  program.thread([&] {
    const fiber::Identity identity(record);
    wait_by_the_clock(told);
  });
  program.thread([&] { told.tell(told.second); });
}

// The waiter is a fiber, the wakers are another fiber and a thread that is none.
void away_with_two_wakers(Program& program) {
  auto& told = program.make<Told>();
  auto& engine = program.make<Engine>(program, workers(2), 4);
  told.waiter = engine
                    .spawn([&] {
                      Told::wait_for(told.first);
                      Told::wait_for(told.second);
                    })
                    .fiber();
  engine.spawn([&] {
    check(sched::be_away(fiber::self()), "it has not left");
    told.tell(told.first);
  });
  engine.main([&] { told.tell(told.second); });
}

void away_by_the_clock(Program& program) {
  auto& told = program.make<Told>();
  auto& engine = program.make<Engine>(program, workers(1), 2);
  told.waiter = engine.spawn([&] { wait_by_the_clock(told); }).fiber();
  engine.main([&] { told.tell(told.second); });
}

TEST(Park, AtHomeInAllSchedules) {
  expect_all_pass_undelayed(2, at_home_with_two_wakers);
  expect_all_pass_undelayed(3, at_home_by_the_clock);
}
TEST(Park, AtHomeWithTwoWakers) {
  expect_random_pass(100'000, at_home_with_two_wakers);
}
TEST(Park, AtHomeByTheClock) {
  expect_random_pass(100'000, at_home_by_the_clock);
}
TEST(Park, AwayWithTwoWakers) {
  expect_engine_pass(100'000, away_with_two_wakers);
}
TEST(Park, AwayByTheClock) {
  expect_engine_pass(30'000, away_by_the_clock);
}

}  // namespace
}  // namespace weft::model
