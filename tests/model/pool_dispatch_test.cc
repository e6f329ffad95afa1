// SPDX-License-Identifier: Apache-2.0
// Jobs and workers of the policy `adaptive`: each job is run once, and no wake that is due is lost.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "cancel/state.h"
#include "expect_pass.h"
#include "model/model.h"
#include "pool/dispatch.h"
#include "programs/pool_jobs.h"

namespace weft::model {
namespace {

using pool::Dispatch;

// Whoever submits waits for the job before the next: workers park and are woken all the time, and
// nobody comes to a job's help by closing.
template <std::uint32_t spins>
void one_after_the_other(Program& program) {
  auto& place = program.make<Workplace<2>>(Dispatch::Options{.allowed = 2, .spins = spins});
  place.add_workers(program, 2);
  program.thread([&] {
    for (std::uint32_t i = 0; i < 2; ++i) {
      place.submit(i);
      place.done.wait_for(i + 1);
    }
    place.dispatch.close();
  });
  program.finally([&] { place.check_each_once(); });
}

// Two jobs that wait for each other need two workers: the woken one has to wake the next.
template <std::uint32_t spins>
void two_jobs_meet(Program& program) {
  auto& place = program.make<Workplace<2>>(Dispatch::Options{.allowed = 2, .spins = spins}, 2U);
  place.add_workers(program, 2);
  place.add_submitter(program);
}

// One may be active, and its job waits for the next one, until the monitor allows two.
void allowed_one_more(Program& program) {
  auto& place = program.make<Workplace<2>>(Dispatch::Options{.allowed = 1}, 2U);
  place.add_workers(program, 2);
  program.thread([&] { place.dispatch.allow(2); });
  place.add_submitter(program);
}

// The same, but the jobs say that they block.
void jobs_say_that_they_block(Program& program) {
  auto& place = program.make<Workplace<2>>(Dispatch::Options{.allowed = 1}, 2U);
  for (MeetingJob& job : place.jobs) job.dispatch = &place.dispatch;
  place.add_workers(program, 2);
  place.add_submitter(program);
}

// The same, but the monitor sleeps until a job is left waiting.
void the_monitor_is_told(Program& program) {
  auto& place = program.make<Workplace<2>>(Dispatch::Options{.allowed = 1}, 2U);
  place.add_workers(program, 2);
  program.thread([&] {
    while (!place.dispatch.word().closed()) {
      place.dispatch.sleep_as_monitor(os::never);
      if (place.dispatch.word().queued() != 0) place.dispatch.allow(2);
    }
  });
  place.add_submitter(program);
}

// Two may be active, or one beside one that blocks, and there is a thread for one of them, until
// the monitor hears of it.
template <bool says_that_it_blocks>
void a_missing_thread_is_started(Program& program) {
  constexpr std::uint32_t allowed = says_that_it_blocks ? 1 : 2;
  auto& place = program.make<Workplace<2>>(Dispatch::Options{.allowed = allowed}, 2U);
  for (MeetingJob& job : place.jobs) job.dispatch = says_that_it_blocks ? &place.dispatch : nullptr;
  auto& started = program.make<Count>();
  place.add_workers(program, 1);
  program.thread([&] {
    started.wait_for(1);
    place.work(1);
  });
  program.thread([&] {
    while (!place.dispatch.rest_as_monitor(os::never)) continue;
    started.add();
  });
  place.add_submitter(program);
}

// Fewer are allowed, one is woken whoever searches, one is retired: the job is done all the same.
void the_monitor_interferes(Program& program) {
  auto& place = program.make<Workplace<2>>(Dispatch::Options{.allowed = 2});
  auto& retired = program.make<atomic<int>>(0);
  place.add_workers(program, 3);
  program.thread([&] {
    place.dispatch.allow(1);
    place.dispatch.nudge();
    if (place.dispatch.retire_one()) retired.store(1);
    place.check_word();
  });
  place.add_submitter(program);
}

// What is accepted before the pool closes is run, and all workers end.
void submit_against_close(Program& program) {
  auto& place = program.make<Workplace<2>>(Dispatch::Options{.allowed = 1});
  auto& accepted = program.make<atomic<std::uint32_t>>(0U);
  place.add_workers(program, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    program.thread([&, i] {
      if (place.dispatch.submit(place.jobs[i], false) == Submitted::accepted) accepted.fetch_add(1);
    });
  }
  program.thread([&] { place.dispatch.close(); });
  program.finally([&] {
    place.check_end();
    check(place.done.value() == accepted.load(), "accepted and not run, or run and refused");
  });
}

// There is room for one: who finds none waits, and gets it.
void submitters_wait_for_room(Program& program) {
  auto& place = program.make<Workplace<3>>(Dispatch::Options{.capacity = 1, .allowed = 1});
  place.add_workers(program, 1);
  program.thread([&] {
    place.submit(0);
    place.submit(1);
  });
  program.thread([&] {
    place.submit(2);
    place.done.wait_for(3);
    place.dispatch.close();
  });
  program.finally([&] { place.check_each_once(); });
}

// There is room for one, and no worker: who waits for more is told when it is cancelled.
void a_submitter_is_cancelled(Program& program) {
  auto& place = program.make<Workplace<2>>(Dispatch::Options{.capacity = 1, .allowed = 1});
  auto& state = program.make<cancel::State>();
  place.submit(0);
  program.thread([&] {
    const CancelToken token{std::shared_ptr<const cancel::State>(std::shared_ptr<void>(), &state)};
    check(place.dispatch.submit(place.jobs[1], true, token) == Submitted::full, "there was room");
  });
  program.thread([&] {
    state.cancel(CancelReason::client);
    place.dispatch.wake_submitters();
  });
}

TEST(PoolDispatch, InAllSchedulesOfOnePreemption) {
  expect_all_pass_undelayed(1, one_after_the_other<0>);
  expect_all_pass_undelayed(1, two_jobs_meet<0>);
  expect_all_pass_undelayed(1, allowed_one_more);
  expect_all_pass_undelayed(1, jobs_say_that_they_block);
  expect_all_pass_undelayed(1, submitters_wait_for_room);
  expect_all_pass_undelayed(1, a_submitter_is_cancelled);
}
TEST(PoolDispatch, OneAfterTheOther) {
  expect_random_pass(50'000, one_after_the_other<0>);
  expect_random_pass(50'000, one_after_the_other<2>);
}
TEST(PoolDispatch, TwoJobsMeet) {
  expect_random_pass(50'000, two_jobs_meet<0>);
  expect_random_pass(50'000, two_jobs_meet<2>);
}
TEST(PoolDispatch, AllowedOneMore) {
  expect_random_pass(50'000, allowed_one_more);
}
TEST(PoolDispatch, JobsSayThatTheyBlock) {
  expect_random_pass(50'000, jobs_say_that_they_block);
}
TEST(PoolDispatch, TheMonitorIsTold) {
  expect_random_pass(50'000, the_monitor_is_told);
}
TEST(PoolDispatch, AMissingThreadIsStarted) {
  expect_random_pass(50'000, a_missing_thread_is_started<false>);
  expect_random_pass(50'000, a_missing_thread_is_started<true>);
}
TEST(PoolDispatch, TheMonitorInterferes) {
  expect_random_pass(50'000, the_monitor_interferes);
}
TEST(PoolDispatch, SubmitAgainstClose) {
  expect_random_pass(50'000, submit_against_close);
}
TEST(PoolDispatch, ASubmitterIsCancelled) {
  expect_all_pass_undelayed(2, a_submitter_is_cancelled);
  expect_random_pass(20'000, a_submitter_is_cancelled);
}
TEST(PoolDispatch, SubmittersWaitForRoom) {
  expect_random_pass(50'000, submitters_wait_for_room);
}

}  // namespace
}  // namespace weft::model
