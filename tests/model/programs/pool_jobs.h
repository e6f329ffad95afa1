// SPDX-License-Identifier: Apache-2.0
// A few workers on a pool's Dispatch, and jobs that count how often they were run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <weft/pool.h>

#include "base/atomic.h"
#include "model/model.h"
#include "os/clock.h"
#include "os/futex.h"
#include "pool/dispatch.h"

namespace weft::model {

// Somebody waits until so many have come.
class Count {
 public:
  void add() {
    count_.fetch_add(1);
    os::futex_wake(count_, 16);
  }
  void wait_for(std::uint32_t count) {
    for (std::uint32_t now = 0; (now = count_.load()) < count;) os::futex_wait(count_, now);
  }
  std::uint32_t value() const { return count_.load(); }

 private:
  atomic<std::uint32_t> count_{0};
};

// A job that waits, on its worker, until so many of its kind have begun.
class MeetingJob final : public Job {
 public:
  void run(const JobTimes&) override {
    runs.fetch_add(1);
    begun->add();
    if (dispatch != nullptr) dispatch->block();
    begun->wait_for(meets);
    if (dispatch != nullptr) dispatch->unblock();
    done->add();
  }
  void shed(ShedReason) noexcept override {}

  atomic<int> runs{0};
  std::uint32_t meets = 0;
  Count* begun = nullptr;
  Count* done = nullptr;
  pool::Dispatch* dispatch = nullptr;  // it says that it blocks
};

template <std::size_t job_count>
class Workplace {
 public:
  static constexpr std::size_t most_workers = 3;

  explicit Workplace(const pool::Dispatch::Options& options, std::uint32_t meets = 0)
      : dispatch(options) {
    for (MeetingJob& job : jobs) {
      job.meets = meets;
      job.begun = &begun;
      job.done = &done;
    }
  }

  // A worker's thread.
  void work(std::size_t index) {
    dispatch.enter();
    while (Job* const job = dispatch.next(seats_[index])) {
      check_word();
      job->run({});
    }
    check_word();
  }
  void add_workers(Program& program, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) program.thread([this, i] { work(i); });
  }

  // Submits all jobs, one behind the other, waits for them and closes; each was run once.
  void add_submitter(Program& program) {
    program.thread([this] {
      for (std::size_t i = 0; i < job_count; ++i) submit(i);
      done.wait_for(job_count);
      dispatch.close();
    });
    program.finally([this] { check_each_once(); });
  }

  void submit(std::size_t index) {
    check(dispatch.submit(jobs[index], true) == Submitted::accepted, "a job was refused");
    check_word();
  }
  void check_word() const { check(!dispatch.word().due(), "a wake is due that nobody has made"); }

  // After all threads.
  void check_end() {
    const pool::Word word = dispatch.word();
    check(word.queued() == 0, "a job was left in the queue");
    check(word.parked() == 0, "a worker is parked that has ended");
    check(word.active() == 0, "a worker is active that has ended");
    check(!word.searching(), "a worker searches that has ended");
  }
  void check_each_once() {
    for (const MeetingJob& job : jobs) check(job.runs.load() == 1, "a job was lost, or run twice");
    check_end();
  }

  pool::Dispatch dispatch;
  std::array<MeetingJob, job_count> jobs;
  Count begun;
  Count done;

 private:
  std::array<pool::Seat, most_workers> seats_;
};

}  // namespace weft::model
