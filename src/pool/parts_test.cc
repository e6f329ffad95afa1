// SPDX-License-Identifier: Apache-2.0
// The pure parts of the pools: CoDel, the original's dials, averages, texts of /proc, the word.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <latch>
#include <optional>
#include <thread>
#include <utility>

#include "pool/codel.h"
#include "pool/dials.h"
#include "pool/recent_average.h"
#include "pool/word.h"
#include "pool/worker_times.h"

namespace weft::pool {
namespace {

using namespace std::chrono_literals;

TEST(Codel, ShedsNothingOfOneLongQueue) {
  Codel codel(5ms, 100ms);
  EXPECT_FALSE(codel.sheds(1s, 0ms));
  for (int i = 1; i < 100; ++i) EXPECT_FALSE(codel.sheds(1s + i * 1ms, 80ms));
}

TEST(Codel, ShedsWhatWaitedTwiceTheTargetOnceAWholeIntervalDid) {
  Codel codel(5ms, 100ms);
  EXPECT_FALSE(codel.sheds(1000ms, 20ms));
  EXPECT_FALSE(codel.sheds(1050ms, 20ms));
  EXPECT_TRUE(codel.sheds(1101ms, 20ms));
  EXPECT_FALSE(codel.sheds(1102ms, 9ms));
  EXPECT_TRUE(codel.sheds(1103ms, 11ms));
}

TEST(Codel, EndsWithAnIntervalInWhichHardlyAnythingIsShed) {
  Codel codel(5ms, 100ms);
  codel.sheds(1000ms, 20ms);
  ASSERT_TRUE(codel.sheds(1101ms, 20ms));
  codel.sheds(1150ms, 1ms);  // one that did not wait, and half are shed
  EXPECT_TRUE(codel.sheds(1202ms, 20ms));
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(codel.sheds(1203ms, 1ms));
  EXPECT_FALSE(codel.sheds(1303ms, 20ms));
}

TEST(Codel, ForgetsAnOverloadThatIsLongAgo) {
  Codel codel(5ms, 100ms);
  codel.sheds(1000ms, 20ms);
  codel.sheds(1050ms, 20ms);
  EXPECT_FALSE(codel.sheds(5000ms, 20ms));
}

DialsLook calm() {
  return {.queued = 0, .capacity = 100, .busy = 0, .workers = 8, .minimum = 8, .maximum = 64};
}

TEST(Dials, KeepTheSmallestSizeWhileAllIsCalm) {
  DialsLook look = calm();
  look.workers = 32;
  EXPECT_EQ(workers_by_dials(look), 8U);
}

TEST(Dials, GrowWithTheQueue) {
  DialsLook look = calm();
  const std::pair<std::size_t, std::uint32_t> steps[] = {{4, 8},   {5, 12},  {14, 12},
                                                         {15, 16}, {29, 16}, {30, 32}};
  for (const auto& [queued, workers] : steps) {
    look.queued = queued;
    EXPECT_EQ(workers_by_dials(look), workers) << queued;
  }
}

TEST(Dials, GrowWithTheLatency) {
  DialsLook look = calm();
  const std::pair<std::chrono::milliseconds, std::uint32_t> steps[] = {
      {4ms, 8}, {5ms, 12}, {20ms, 16}, {50ms, 32}};
  for (const auto& [latency, workers] : steps) {
    look.average_latency = latency;
    EXPECT_EQ(workers_by_dials(look), workers) << latency.count();
  }
}

TEST(Dials, GrowWhenAllAreBusyAndAnyJobWaits) {
  DialsLook look = calm();
  look.busy = look.workers;
  EXPECT_EQ(workers_by_dials(look), 8U);
  look.queued = 1;
  EXPECT_EQ(workers_by_dials(look), 9U);
  look.workers = look.busy = look.maximum;
  EXPECT_EQ(workers_by_dials(look), look.maximum);
}

TEST(RecentAverage, IsOfTheLast128) {
  RecentAverage average;
  EXPECT_EQ(average.value(), 0ns);
  average.record(4ms);
  average.record(2ms);
  EXPECT_EQ(average.value(), 3ms);
  for (int i = 0; i < 128; ++i) average.record(7ms);
  EXPECT_EQ(average.value(), 7ms);
}

TEST(WorkerTimes, ReadsTheDelayOfSchedstat) {
  EXPECT_EQ(parse_delay("124180 64532 2\n"), 64532ns);
  EXPECT_EQ(parse_delay("0 0 0\n"), 0ns);
  EXPECT_EQ(parse_delay(""), std::nullopt);
  EXPECT_EQ(parse_delay("12"), std::nullopt);
  EXPECT_EQ(parse_delay("12 x 3"), std::nullopt);
  EXPECT_EQ(parse_delay("12 -5 3"), std::nullopt);
}

TEST(WorkerTimes, FindsTheStateBehindAnyName) {
  EXPECT_TRUE(is_runnable("12 (a) R 1"));
  EXPECT_FALSE(is_runnable("12 (a) S 1"));
  EXPECT_FALSE(is_runnable("12 (a) D 1"));
  EXPECT_FALSE(is_runnable("12 (a) R) S 1"));
  EXPECT_TRUE(is_runnable("12 (a)"));  // who cannot be asked is not said to block
  EXPECT_TRUE(is_runnable(""));
}

// A thread that is to sleep must first get a CPU, which may take long on a crowded machine.
constexpr int many_looks = 1000;
constexpr int few_looks = 5;

std::chrono::nanoseconds now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

// What is seen of a thread in its job, look by look; until it was blocked, but not for ever.
template <class Body>
WorkerTimes::Seen seen_while(Body job, int most_looks, const char* delay_file = "schedstat") {
  WorkerTimes times(delay_file);
  std::latch begun(1);
  std::latch first_look(1);
  std::latch second_look(1);
  std::thread worker([&] {
    times.begin_thread(static_cast<std::uint32_t>(::gettid()), now());
    times.begin_job(now());
    begun.count_down();
    first_look.wait();
    job(second_look);
    times.end_job(now());
  });
  begun.wait();
  times.look(now());
  first_look.count_down();
  WorkerTimes::Seen seen;
  for (int i = 0; i < most_looks && seen.blocked <= seen.ran; ++i) {
    std::this_thread::sleep_for(20ms);
    const WorkerTimes::Seen look = times.look(now());
    seen.ran += look.ran;
    seen.blocked += look.blocked;
    seen.in_jobs |= look.in_jobs;
  }
  second_look.count_down();
  worker.join();
  return seen;
}

TEST(WorkerTimes, ASleepingJobIsBlocked) {
  if (::access("/proc/self/schedstat", R_OK) != 0) GTEST_SKIP() << "the kernel has no schedstat";
  const WorkerTimes::Seen seen = seen_while([](std::latch& end) { end.wait(); }, many_looks);
  EXPECT_TRUE(seen.in_jobs);
  EXPECT_GT(seen.blocked, seen.ran);
}

TEST(WorkerTimes, AComputingJobIsNotBlocked) {
  const WorkerTimes::Seen seen = seen_while(
      [](std::latch& end) {
        while (!end.try_wait()) continue;
      },
      few_looks);
  EXPECT_TRUE(seen.in_jobs);
  EXPECT_EQ(seen.blocked, 0ns);  // however long it waited for a CPU
}

TEST(WorkerTimes, WithoutSchedstatASleepingJobIsBlockedAndAComputingOneIsNot) {
  const auto sleeping = seen_while([](std::latch& end) { end.wait(); }, many_looks, "no_such_file");
  EXPECT_GT(sleeping.blocked, sleeping.ran);
  const auto computing = seen_while(
      [](std::latch& end) {
        while (!end.try_wait()) continue;
      },
      few_looks, "no_such_file");
  EXPECT_TRUE(computing.in_jobs);
  EXPECT_EQ(computing.blocked, 0ns);
}

TEST(WorkerTimes, ThereIsNothingToSeeOfAThreadWithoutAJob) {
  WorkerTimes times;
  EXPECT_FALSE(times.look(now()).in_jobs);
  times.begin_thread(static_cast<std::uint32_t>(::gettid()), now());
  times.look(now());
  EXPECT_FALSE(times.look(now()).in_jobs);
}

TEST(Word, KeepsItsNumbersApart) {
  Word word;
  word = word.add_queued(Word::most_queued).add_active(Word::most_workers);
  word = word.add_parked(Word::most_workers).with_allowed(Word::most_workers);
  EXPECT_FALSE(word.searching());
  EXPECT_FALSE(word.closed());
  word = word.add_active(-1).add_queued(-2).add_parked(-3).with_allowed(7);
  EXPECT_EQ(word.queued(), Word::most_queued - 2);
  EXPECT_EQ(word.active(), Word::most_workers - 1);
  EXPECT_EQ(word.parked(), Word::most_workers - 3);
  EXPECT_EQ(word.allowed(), 7U);
}

TEST(Word, AWakeIsDueOnlyForAJobAndASleeperWhoMayGetUp) {
  const Word due = Word().with_allowed(2).add_parked(1).add_queued(1).add_active(1);
  EXPECT_TRUE(due.due());
  EXPECT_FALSE(due.add_queued(-1).due());
  EXPECT_FALSE(due.add_parked(-1).due());
  EXPECT_FALSE(due.add_active(1).due());
  EXPECT_FALSE(due.with_searching(true).due());
  EXPECT_FALSE(due.wake_one().due());
  EXPECT_EQ(due.wake_one().active(), 2U);
  EXPECT_EQ(due.wake_one().parked(), 0U);
}

}  // namespace
}  // namespace weft::pool
