// SPDX-License-Identifier: Apache-2.0
// What servers do with overload, in virtual time: the order of the queue and CoDel together.
#include <gtest/gtest.h>
#include <weft/pool.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>
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

std::vector<nanoseconds> evenly(nanoseconds pause, nanoseconds length) {
  std::vector<nanoseconds> arrivals;
  for (nanoseconds now{0}; now < length; now += pause) arrivals.push_back(now);
  return arrivals;
}

// As many, but nobody comes in the last fifth of each 70 ms: the queue runs empty again and again.
std::vector<nanoseconds> with_gaps(nanoseconds pause, nanoseconds length) {
  constexpr nanoseconds period = 70ms;
  std::vector<nanoseconds> arrivals = evenly(pause, length);
  for (nanoseconds& arrival : arrivals) {
    const nanoseconds behind = arrival % period;
    arrival -= behind / 5;
  }
  return arrivals;
}

// Each of the workers needs `service` for a job.
Outcome overload(const Overload& overload, const std::vector<nanoseconds>& arrivals,
                 nanoseconds service, std::size_t workers) {
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
  for (const nanoseconds now : arrivals) {
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
    outcome.longest_silence =
        std::max(outcome.longest_silence, waited(*waiting.oldest(), arrivals.back()));
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
  const auto can_be_done = static_cast<double>(length / service * workers);
  // A queue of ten milliseconds does not last over the gaps.
  for (const auto& [arrivals, least] :
       {std::pair{evenly(pause, length), 0.9}, {with_gaps(pause, length), 0.85}}) {
    const Outcome outcome = overload(server, arrivals, service, workers);
    EXPECT_GE(static_cast<double>(outcome.run), least * can_be_done);
    EXPECT_LE(outcome.longest_wait, 2 * server.target + 2 * service);
    EXPECT_LE(outcome.longest_silence, 3 * server.interval + 2 * service);
  }
}

// What is a little too much makes a queue that is shed at times, and no longer than that.
TEST(Overloaded, ByATenthLittleIsShed) {
  constexpr auto length = 10s;
  const Outcome outcome =
      overload(Overload::for_servers(), evenly(1ms, length), nanoseconds{8ms} * 11 / 10, 8);
  EXPECT_LE(outcome.longest_wait, 30ms);
  EXPECT_LE(outcome.shed, 1500U);  // of 10,000, of which 900 are too many
}

INSTANTIATE_TEST_SUITE_P(Services, FourTimes, testing::Values(500us, 2ms, 5ms, 20ms, 50ms));

}  // namespace
}  // namespace weft::pool
