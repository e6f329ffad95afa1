// SPDX-License-Identifier: Apache-2.0
// What servers do with overload, in virtual time: the order of the queue and CoDel together.
#include <gtest/gtest.h>
#include <weft/pool.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <vector>

#include "pool/codel.h"
#include "pool/job_list.h"

namespace weft::pool {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

struct Idle final : Job {
  void run(const JobTimes&) override {}
  void shed(ShedReason) noexcept override {}
};

struct Outcome {
  std::size_t run = 0;
  std::size_t shed = 0;
  std::size_t refused = 0;         // by a full queue
  nanoseconds longest_wait{0};     // of a job that ran, behind the first second
  nanoseconds longest_silence{0};  // of a job that was shed, or never heard anything
};

// Jobs come one each `pause`, and each of the workers needs `service` for one.
Outcome overload(const Overload& overload, nanoseconds pause, nanoseconds service,
                 std::size_t workers, nanoseconds length) {
  const std::size_t capacity = PoolOptions{}.capacity;
  JobList waiting(overload.newest_first_above);
  Codel codel(overload.target, overload.interval);
  std::deque<Idle> jobs;
  std::vector<nanoseconds> free_at(workers, nanoseconds{0});
  Outcome outcome;
  const auto waited = [](Job& job, nanoseconds now) {
    return now - JobAccess::accepted(job).time_since_epoch();
  };
  // Who is free takes what waits, until `now`.
  const auto work_until = [&](nanoseconds now) {
    for (;;) {
      const auto first = std::min_element(free_at.begin(), free_at.end());
      if (*first > now || waiting.length() == 0) break;
      Job& job = waiting.pop();
      const nanoseconds begin =
          std::max(*first, nanoseconds(JobAccess::accepted(job).time_since_epoch()));
      const nanoseconds wait = waited(job, begin);
      if (codel.sheds(begin, wait)) {
        ++outcome.shed;
        outcome.longest_silence = std::max(outcome.longest_silence, wait);
        *first = begin + 10us;  // for a 503
      } else {
        ++outcome.run;
        if (begin > 1s) outcome.longest_wait = std::max(outcome.longest_wait, wait);
        *first = begin + service;
      }
    }
  };
  for (nanoseconds now{0}; now < length; now += pause) {
    work_until(now);
    if (waiting.length() == capacity) {
      ++outcome.refused;
      continue;
    }
    jobs.emplace_back();
    JobAccess::accepted(jobs.back()) = JobTimes::Instant(now);
    waiting.push(jobs.back());
  }
  if (waiting.length() != 0) {
    outcome.longest_silence = std::max(outcome.longest_silence, waited(*waiting.oldest(), length));
  }
  return outcome;
}

class FourTimes : public testing::TestWithParam<nanoseconds> {};

TEST_P(FourTimes, AsMuchAsCanBeDoneIsDoneAndTheRestHearsSoSoon) {
  constexpr std::size_t workers = 8;
  constexpr auto length = 10s;
  const nanoseconds service = GetParam();
  const nanoseconds pause = service / (4 * workers);
  const Overload server = Overload::for_servers();
  const Outcome outcome = overload(server, pause, service, workers, length);
  const auto can_be_done = static_cast<double>(length / service * workers);
  EXPECT_GE(static_cast<double>(outcome.run), 0.9 * can_be_done);
  EXPECT_LE(outcome.longest_wait, 2 * server.target + 2 * service);
  EXPECT_LE(outcome.longest_silence, 3 * server.interval + 2 * service);
}

INSTANTIATE_TEST_SUITE_P(Services, FourTimes, testing::Values(500us, 2ms, 5ms, 20ms, 50ms));

}  // namespace
}  // namespace weft::pool
