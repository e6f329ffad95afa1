// SPDX-License-Identifier: Apache-2.0
// A carrier that is stuck is relieved: whatever stands with its worker runs,
// and nothing twice.
#include <gtest/gtest.h>

#include <chrono>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/engine.h"
#include "programs/meeting.h"
#include "sched/park.h"
#include "sched/switching.h"
#include "sched/thread.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
using fiber::ParkKind;

// A monitor without patience.
sched::RuntimeOptions impatient(std::uint32_t workers = 1) {
  return {.workers = workers,
          .most_workers = workers,
          .monitored = true,
          .lends_places = false,  // the model has no kernel to say who sleeps at home
          .monitor = {.tick = 100us,
                      .patience_asleep = 0ns,
                      .patience_running = 0ns,
                      .most_relieved_asleep = 4,
                      .most_relieved_running = 4}};
}

// Two fibers that stop their carrier until both are there: one worker is not
// enough.
void two_meet_on_one_worker(Program& program) {
  auto& meeting = program.make<Meeting>(2U);
  auto& engine = program.make<Engine>(program, impatient(), 5);
  for (int i = 0; i < 2; ++i) engine.spawn([&] { meeting.come(); });
}

// The stuck fiber goes on, and wakes another: which stands where the successor
// looks, or nowhere.
void wakes_after_relief(Program& program) {
  struct State {
    Meeting meeting{2};
    atomic<bool> woken{false};
  };
  auto& state = program.make<State>();
  auto& engine = program.make<Engine>(program, impatient(), 6);
  auto& sleeper = engine.spawn([&state] {
    while (!state.woken.load()) sched::park(ParkKind::other, &state);
  });
  engine.spawn([&] {
    fiber::self().wakes_then_parks = sched::sure_to_park;
    state.meeting.come();
    state.woken.store(true);
    sched::unpark(*sleeper.fiber());
    sched::go_home("model test");
  });
  engine.main([&] { state.meeting.come(); });
}

// Workers come and go while the monitor takes one from a carrier. In the end
// there are two, and each has a carrier: also the one that a fiber is pinned
// to.
void relief_against_resize(Program& program) {
  struct State {
    Meeting meeting{2};
    atomic<bool> go{false};
  };
  auto& state = program.make<State>();
  auto& engine = program.make<Engine>(program, impatient(2), 9);
  engine.spawn([&state] { state.meeting.come(); });
  auto& pinned = engine.spawn([&] {
    while (!state.go.load()) sched::park(ParkKind::other, &state);
    sched::pin_to(&engine.runtime().worker_at(1));
    sched::pin_to(nullptr);
  });
  engine.main([&] {
    engine.runtime().resize(1);
    engine.runtime().resize(2);
    state.meeting.come();
    state.go.store(true);
    sched::unpark(*pinned.fiber());
  });
}

// One place is lent, and who has it keeps it, as does a fiber on the other
// worker: timers and events are attended to all the same, though nobody is
// woken for work.
void a_timer_while_a_place_is_lent(Program& program) {
  sched::RuntimeOptions options = impatient(2);
  options.lends_places = true;
  auto& meeting = program.make<Meeting>(3U);
  auto& engine = program.make<Engine>(program, options, 8);
  for (int i = 0; i < 2; ++i) engine.spawn([&] { meeting.come(); });
  engine.spawn([&] {
    const os::Instant deadline = os::MonotonicClock::now() + 1ms;
    while (os::MonotonicClock::now() < deadline) sched::park(ParkKind::sleep, nullptr, deadline);
    meeting.come();
  });
}

// Two that need each other, on one place, which the first has on loan: it is
// called in.
void two_meet_on_a_place_that_is_lent(Program& program) {
  sched::RuntimeOptions options = impatient();
  options.lends_places = true;
  auto& meeting = program.make<Meeting>(2U);
  auto& engine = program.make<Engine>(program, options, 5);
  for (int i = 0; i < 2; ++i) engine.spawn([&] { meeting.come(); });
}

// The stuck fiber goes on, and gives up a turn that is no longer its worker's.
void ends_its_turn_after_relief(Program& program) {
  auto& meeting = program.make<Meeting>(2U);
  auto& engine = program.make<Engine>(program, impatient(), 6);
  engine.spawn([&] {
    if (!sched::be_away(fiber::self())) return meeting.come();
    meeting.come();
    if (sched::be_away(fiber::self())) sched::end_turn(fiber::self());
  });
  engine.main([&] { meeting.come(); });
}

TEST(Relief, EndsItsTurnAfterRelief) {
  expect_engine_pass(30'000, ends_its_turn_after_relief);
}
TEST(Relief, ATimerWhileAPlaceIsLent) {
  expect_engine_pass(20'000, a_timer_while_a_place_is_lent);
}
TEST(Relief, TwoMeetOnAPlaceThatIsLent) {
  expect_engine_pass(20'000, two_meet_on_a_place_that_is_lent);
}
TEST(Relief, AgainstResize) {
  expect_engine_pass(20'000, relief_against_resize);
}
TEST(Relief, TwoMeetOnOneWorker) {
  expect_engine_pass(30'000, two_meet_on_one_worker);
}
TEST(Relief, WakesAfterRelief) {
  expect_engine_pass(100'000, wakes_after_relief);
}

}  // namespace
}  // namespace weft::model
