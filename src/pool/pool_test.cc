// SPDX-License-Identifier: Apache-2.0
// Pools of every policy with real threads: each accepted job is run or shed once, whatever happens.
#include <weft/pool.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pool/metrics.h"

namespace weft {
namespace {

using namespace std::chrono_literals;

// Opens once, for all who wait and who come later.
class Gate {
 public:
  void open() {
    {
      const std::scoped_lock guard(mutex_);
      is_open_ = true;
    }
    opened_.notify_all();
  }
  void wait() {
    std::unique_lock guard(mutex_);
    opened_.wait(guard, [&] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

void spin_for(std::chrono::microseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) continue;
}

template <class Condition>
void wait_until(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(1ms);  // the test's time-out is the watchdog
}

class EveryPolicy : public testing::TestWithParam<Policy> {
 protected:
  static PoolOptions options() {
    return {.policy = GetParam(), .minimum = 2, .maximum = 16, .cpus = 2, .capacity = 64};
  }
};

std::string name_of(const testing::TestParamInfo<Policy>& info) {
  std::string name = to_string(info.param);
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Pool, EveryPolicy,
                         testing::Values(Policy::fixed, Policy::adaptive_inline,
                                         Policy::adaptive_monitor, Policy::adaptive),
                         name_of);

TEST_P(EveryPolicy, RunsEachAcceptedJobOnce) {
  constexpr int submitters = 4;
  constexpr int jobs = 500;
  std::vector<std::atomic<int>> runs(submitters * jobs);
  Pool pool(options());
  std::vector<std::thread> threads;
  for (int submitter = 0; submitter < submitters; ++submitter) {
    threads.emplace_back([&, submitter] {
      for (int i = 0; i < jobs; ++i) {
        auto& count = runs[static_cast<std::size_t>(submitter * jobs + i)];
        ASSERT_EQ(pool.submit([&count] { ++count; }), Submitted::accepted);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  pool.drain();
  for (const auto& count : runs) EXPECT_EQ(count.load(), 1);
  const PoolCounters counters = pool.counters();
  EXPECT_EQ(counters.accepted, runs.size());
  EXPECT_EQ(counters.done, runs.size());
  EXPECT_EQ(counters.queued, 0U);
  EXPECT_EQ(counters.busy, 0U);
  EXPECT_EQ(pool.metrics().waited.snapshot().count(), runs.size());
  EXPECT_EQ(pool.metrics().handled.snapshot().count(), runs.size());
  EXPECT_EQ(pool.metrics().total.snapshot().count(), runs.size());
}

TEST_P(EveryPolicy, LosesNothingWhenItIsClosedUnderLoad) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<std::uint64_t> done{0};
    Pool pool(options());
    std::vector<std::thread> threads;
    for (int submitter = 0; submitter < 3; ++submitter) {
      threads.emplace_back([&, submitter] {
        const bool waits = submitter != 0;
        for (int i = 0; i < 5'000; ++i) {
          const auto job = [&done] { ++done; };
          const Submitted answer = waits ? pool.submit(job) : pool.try_submit(job);
          if (answer == Submitted::accepted) ++accepted;
          if (answer == Submitted::closed) return;
        }
      });
    }
    wait_until([&] { return done.load() >= 100; });
    if (round % 2 == 0) pool.close();
    pool.drain();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(done.load(), accepted.load());
    EXPECT_EQ(pool.counters().done, accepted.load());
  }
}

TEST_P(EveryPolicy, AJobThatThrowsCostsOneRequest) {
  constexpr std::uint64_t jobs = 300;
  std::atomic<std::uint64_t> told{0};
  PoolOptions with_hooks = options();
  with_hooks.on_exception = [&](const std::exception_ptr& exception) {
    EXPECT_THROW(std::rethrow_exception(exception), std::runtime_error);
    ++told;
  };
  Pool pool(std::move(with_hooks));
  std::atomic<std::uint64_t> ran{0};
  for (std::uint64_t i = 0; i < jobs; ++i) {
    pool.submit([&ran, i] {
      ++ran;
      if (i % 2 == 0) throw std::runtime_error("a handler's");
    });
  }
  wait_until([&] { return pool.counters().done == jobs; });
  EXPECT_EQ(ran.load(), jobs);
  EXPECT_EQ(told.load(), jobs / 2);
  EXPECT_EQ(pool.counters().thrown, jobs / 2);
  EXPECT_GE(pool.counters().threads, 2U);
}

TEST_P(EveryPolicy, RefusesWhenItIsFullAndWhenItIsClosed) {
  PoolOptions small = options();
  small.minimum = small.maximum = 1;
  small.capacity = 2;
  Pool pool(std::move(small));
  Gate gate;
  std::latch begun(1);
  ASSERT_EQ(pool.submit([&] {
    begun.count_down();
    gate.wait();
  }),
            Submitted::accepted);
  begun.wait();
  EXPECT_EQ(pool.try_submit([] {}), Submitted::accepted);
  EXPECT_EQ(pool.try_submit([] {}), Submitted::accepted);
  EXPECT_EQ(pool.try_submit([] {}), Submitted::full);
  EXPECT_EQ(pool.counters().queued, 2U);
  std::thread waits([&] { EXPECT_EQ(pool.submit([] {}), Submitted::accepted); });
  gate.open();
  waits.join();
  pool.close();
  EXPECT_EQ(pool.try_submit([] {}), Submitted::closed);
  EXPECT_EQ(pool.submit([] {}), Submitted::closed);
  pool.drain();
  EXPECT_EQ(pool.counters().done, 4U);
  EXPECT_EQ(pool.counters().refused, 3U);
}

TEST_P(EveryPolicy, ASubmitterThatWaitsIsToldOfTheEnd) {
  PoolOptions small = options();
  small.minimum = small.maximum = 1;
  small.capacity = 1;
  Pool pool(std::move(small));
  Gate gate;
  std::latch begun(1);
  pool.submit([&] {
    begun.count_down();
    gate.wait();
  });
  begun.wait();
  pool.submit([] {});
  std::thread waits([&] { EXPECT_EQ(pool.submit([] {}), Submitted::closed); });
  std::this_thread::sleep_for(5ms);
  pool.close();
  waits.join();
  gate.open();
}

// Jobs of the submitter's own: nothing is allocated, and shed() says why.
class CountingJob final : public Job {
 public:
  void run(const JobTimes& times) override {
    EXPECT_GE(times.started, times.accepted);
    ++runs;
  }
  void shed(ShedReason reason) noexcept override {
    last_reason = reason;
    ++sheds;
  }
  std::atomic<int> runs{0};
  std::atomic<int> sheds{0};
  std::atomic<ShedReason> last_reason{};
};

TEST_P(EveryPolicy, ShedsWhatHasWaitedTooLong) {
  PoolOptions strict = options();
  strict.minimum = strict.maximum = 1;
  strict.overload.longest_wait = 1ms;
  Pool pool(std::move(strict));
  Gate gate;
  std::latch begun(1);
  std::atomic<bool> first_ran{false};
  // The first may be shed as well, on a busy machine.
  while (!first_ran) {
    std::latch over(1);
    struct First final : Job {
      void run(const JobTimes&) override {
        *ran = true;
        over->count_down();
        gate->wait();
      }
      void shed(ShedReason) noexcept override { over->count_down(); }
      std::atomic<bool>* ran = nullptr;
      std::latch* over = nullptr;
      Gate* gate = nullptr;
    };
    static First first;
    first.ran = &first_ran;
    first.over = &over;
    first.gate = &gate;
    ASSERT_EQ(pool.submit(first), Submitted::accepted);
    over.wait();
  }
  CountingJob job;
  ASSERT_EQ(pool.submit(job), Submitted::accepted);
  std::this_thread::sleep_for(5ms);
  gate.open();
  pool.drain();
  EXPECT_EQ(job.runs, 0);
  EXPECT_EQ(job.sheds, 1);
  EXPECT_EQ(job.last_reason, ShedReason::too_old);
}

TEST_P(EveryPolicy, TakesTheNewestFirstAboveADepth) {
  PoolOptions deep = options();
  deep.minimum = deep.maximum = 1;
  deep.overload.newest_first_above = 2;
  Pool pool(std::move(deep));
  Gate gate;
  std::latch begun(1);
  pool.submit([&] {
    begun.count_down();
    gate.wait();
  });
  begun.wait();
  std::vector<int> order;
  for (int i = 0; i < 4; ++i) pool.submit([&order, i] { order.push_back(i); });
  gate.open();
  pool.drain();
  EXPECT_EQ(order, (std::vector<int>{3, 2, 0, 1}));
}

TEST_P(EveryPolicy, CallsItsHooksOnEachThread) {
  std::atomic<int> starts{0};
  std::atomic<int> ends{0};
  PoolOptions with_hooks = options();
  with_hooks.on_thread_start = [&] { ++starts; };
  with_hooks.on_thread_end = [&] { ++ends; };
  {
    Pool pool(std::move(with_hooks));
    for (int i = 0; i < 50; ++i) pool.submit([] { std::this_thread::sleep_for(1ms); });
  }
  EXPECT_GE(starts.load(), 2);
  EXPECT_EQ(starts.load(), ends.load());
}

TEST_P(EveryPolicy, ABlockingScopeMayBeAnywhere) {
  const BlockingScope outside;
  Pool pool(options());
  std::atomic<int> done{0};
  for (int i = 0; i < 100; ++i) {
    pool.submit([&] {
      const BlockingScope scope;
      { const BlockingScope nested; }
      ++done;
      if (done % 7 == 0) throw std::runtime_error("out of a scope");
    });
  }
  pool.drain();
  EXPECT_EQ(done.load(), 100);
}

TEST(PoolOfOneSize, NeverGrows) {
  Pool pool({.policy = Policy::fixed, .minimum = 3, .maximum = 9, .cpus = 1});
  for (int i = 0; i < 60; ++i) pool.submit([] { std::this_thread::sleep_for(1ms); });
  EXPECT_EQ(pool.counters().threads, 3U);
  EXPECT_EQ(pool.counters().grown, 0U);
}

TEST(PoolWithDials, GrowsAndShrinksByThem) {
  for (const Policy policy : {Policy::adaptive_inline, Policy::adaptive_monitor}) {
    Pool pool({.policy = policy, .minimum = 2, .maximum = 32, .cpus = 1, .capacity = 20});
    std::latch begun(3);  // more than the minimum
    Gate gate;
    for (int i = 0; i < 12; ++i) {
      pool.submit([&, i] {
        if (i < 3) begun.count_down();
        gate.wait();
      });
    }
    begun.wait();
    gate.open();
    // Calm again: the excess retires, each with its next job.
    wait_until([&] {
      for (int i = 0; i < 150; ++i) pool.submit([] {});
      return pool.counters().retired != 0 && pool.counters().threads <= 6;
    });
    EXPECT_GE(pool.counters().grown, 1U);
  }
}

TEST(AdaptivePool, AColdPoolGrowsForJobsThatBlock) {
  constexpr int jobs = 60;
  Pool pool({.minimum = 2, .maximum = 64, .cpus = 1, .reserve = 2});
  std::latch all_begun(jobs);  // nobody goes on before all have a worker
  for (int i = 0; i < jobs; ++i) pool.submit([&] { all_begun.arrive_and_wait(); });
  pool.drain();
  EXPECT_EQ(pool.counters().done, 60U);
  EXPECT_GE(pool.counters().grown, 50U);
  EXPECT_EQ(pool.counters().retired, 0U);
}

TEST(AdaptivePool, ABlockingScopeLetsTheNextJobBeginAtOnce) {
  constexpr int jobs = 8;
  Pool pool({.minimum = jobs, .maximum = jobs, .cpus = 1, .reserve = 0});
  std::latch all_begun(jobs);
  for (int i = 0; i < jobs; ++i) {
    pool.submit([&] {
      const BlockingScope scope;
      all_begun.arrive_and_wait();
    });
  }
  pool.drain();
  EXPECT_EQ(pool.counters().done, 8U);
}

TEST(AdaptivePool, DoesNotGrowForJobsThatCompute) {
  Pool pool({.minimum = 2, .maximum = 64, .cpus = 2, .reserve = 2});
  for (int i = 0; i < 400; ++i) pool.submit([] { spin_for(500us); });
  wait_until([&] { return pool.counters().done > 350; });
  EXPECT_LE(pool.counters().allowed, 3U);
  EXPECT_LE(pool.counters().threads, 2U + 1U + 2U);
}

TEST(AdaptivePool, EndsThreadsThatAreNotNeededAndKeepsTheMinimum) {
  Pool pool({.minimum = 2, .maximum = 32, .cpus = 1, .reserve = 1, .shrink_interval = 1ms});
  std::latch all_begun(20 + 1);
  for (int i = 0; i < 20; ++i) pool.submit([&] { all_begun.arrive_and_wait(); });
  all_begun.arrive_and_wait();
  wait_until([&] { return pool.counters().threads == 2; });
  EXPECT_GE(pool.counters().retired, 18U);
  std::atomic<bool> ran{false};
  pool.submit([&] { ran = true; });
  pool.drain();
  EXPECT_TRUE(ran);
}

TEST(AdaptivePool, GrowsAndShrinksUnderLoadAndLosesNothing) {
  Pool pool({.minimum = 1,
             .maximum = 24,
             .cpus = 2,
             .capacity = 256,
             .reserve = 2,
             .shrink_interval = 500us});
  std::atomic<std::uint64_t> done{0};
  std::vector<std::thread> threads;
  for (int submitter = 0; submitter < 2; ++submitter) {
    threads.emplace_back([&] {
      for (int burst = 0; burst < 12; ++burst) {
        for (int i = 0; i < 40; ++i) {
          pool.submit([&done, i] {
            if (i % 2 == 0) std::this_thread::sleep_for(1ms);
            if (i % 5 == 0) {
              const BlockingScope scope;
              std::this_thread::sleep_for(100us);
            }
            ++done;
          });
        }
        std::this_thread::sleep_for(10ms);
      }
    });
  }
  for (std::uint32_t cpus = 1; cpus < 9; ++cpus) {
    pool.set_cpus(cpus);
    std::this_thread::sleep_for(5ms);
  }
  for (std::thread& thread : threads) thread.join();
  pool.drain();
  EXPECT_EQ(done.load(), 960U);
}

TEST(AdaptivePool, FollowsTheNumberOfCpus) {
  Pool pool({.minimum = 1, .maximum = 64, .cpus = 1});
  pool.set_cpus(5);
  EXPECT_EQ(pool.counters().cpus, 5U);
  pool.set_cpus(0);
  EXPECT_EQ(pool.counters().cpus, 1U);
}

TEST(AdaptivePool, IsSizedFromTheBudgetByDefault) {
  Pool pool;
  EXPECT_GE(pool.counters().cpus, 1U);
  EXPECT_GE(pool.counters().threads, pool.counters().cpus);
  std::atomic<bool> ran{false};
  pool.submit([&] { ran = true; });
  pool.drain();
  EXPECT_TRUE(ran);
}

TEST(Policies, HaveNames) {
  EXPECT_STREQ(to_string(Policy::fixed), "fixed");
  EXPECT_STREQ(to_string(Policy::adaptive_inline), "adaptive-inline");
  EXPECT_STREQ(to_string(Policy::adaptive_monitor), "adaptive-monitor");
  EXPECT_STREQ(to_string(Policy::adaptive), "adaptive");
}

constexpr Ambient<int> name_of_work("name of the work");

TEST_P(EveryPolicy, RunsJobsInTheContextOfWhoSubmitsThem) {
  std::atomic<int> wrong{0};
  {
    Pool pool(options());
    for (int i = 0; i < 500; ++i) {
      const auto guard = name_of_work.set(i);
      pool.submit([&, i] {
        if (name_of_work.value_or(-1) != i) ++wrong;
        // What it sets itself is nobody else's, on this thread or another.
        const auto own = name_of_work.set(-2);
        pool.try_submit([&] { wrong += name_of_work.value_or(-1) == -2 ? 0 : 1; });
      });
    }
    for (int i = 0; i < 500; ++i) {
      pool.submit([&] { wrong += name_of_work.get() == nullptr ? 0 : 1; });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST_P(EveryPolicy, LetsGoOfASubmitterThatIsCancelled) {
  PoolOptions small = options();
  small.minimum = small.maximum = small.cpus = 1;
  small.capacity = 1;
  Pool pool(small);
  Gate begun;
  Gate gate;
  pool.submit([&] {
    begun.open();
    gate.wait();
  });
  begun.wait();
  while (pool.try_submit([] {}) == Submitted::accepted) continue;
  for (int round = 0; round < 50; ++round) {
    const CancelScope scope(std::chrono::steady_clock::now() +
                            std::chrono::microseconds(round * 20));
    EXPECT_EQ(pool.submit([] {}, scope.token()), Submitted::full);
    EXPECT_EQ(scope.token().reason(), CancelReason::deadline);
  }
  gate.open();
}

}  // namespace
}  // namespace weft
