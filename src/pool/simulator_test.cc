// SPDX-License-Identifier: Apache-2.0
// The controller in virtual time: how soon it answers, that it does not swing, and its limits.
#include "pool/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "pool/arrivals.h"

namespace weft::pool {
namespace {

using namespace std::chrono_literals;

constexpr Controller::Options pool_of_128{.minimum = 8, .maximum = 128, .reserve = 8};

std::vector<SimulatedJob> jobs_at(const std::vector<nanoseconds>& times, nanoseconds blocks,
                                  nanoseconds computes) {
  std::vector<SimulatedJob> jobs;
  jobs.reserve(times.size());
  for (const nanoseconds time : times) {
    jobs.push_back({.arrival = time, .blocks = blocks, .computes = computes});
  }
  return jobs;
}

// What holds of every run.
void expect_within_limits(const Simulation& simulation, const Simulated& run) {
  for (const Moment& moment : run.moments) {
    ASSERT_GE(moment.threads, simulation.options.minimum);
    ASSERT_LE(moment.threads, simulation.options.maximum);
    ASSERT_LE(moment.allowed, simulation.options.maximum);
    ASSERT_GE(moment.allowed, 1U);
    ASSERT_LE(moment.active, moment.threads);
  }
}

nanoseconds longest_wait(const Simulation& simulation, const Simulated& run, nanoseconds from,
                         nanoseconds to = nanoseconds::max()) {
  nanoseconds longest{0};
  for (std::size_t i = 0; i < run.waited.size(); ++i) {
    const nanoseconds arrival = simulation.jobs[i].arrival;
    if (arrival >= from && arrival < to) longest = std::max(longest, run.waited[i]);
  }
  return longest;
}

nanoseconds quantile(std::vector<nanoseconds> values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

std::uint32_t most(const std::vector<Moment>& moments, std::uint32_t Moment::*number,
                   nanoseconds from = 0ns) {
  std::uint32_t result = 0;
  for (const Moment& moment : moments) {
    if (moment.now >= from) result = std::max(result, moment.*number);
  }
  return result;
}

// Of jobs that wait for others 99 % of their time.
TEST(Simulator, AStepIsAnsweredWithinTwoServiceTimes) {
  for (const nanoseconds service : {5ms, 50ms}) {
    const double after = 60.0 / std::chrono::duration<double>(service).count();  // 60 workers
    const Simulation simulation{
        .options = pool_of_128,
        .cpus = 2,
        .jobs = jobs_at(arrivals(step_rate(20, after, 500ms), 1500ms), service, 50us)};
    const Simulated run = simulate(simulation);
    expect_within_limits(simulation, run);
    EXPECT_LT(longest_wait(simulation, run, 500ms, 500ms + 2 * service), 2 * service);
    EXPECT_LT(longest_wait(simulation, run, 500ms + 2 * service), 100us);
    EXPECT_LE(direction_changes(run.moments, &Moment::allowed), 1U);
    EXPECT_LE(direction_changes(run.moments, &Moment::threads), 1U);
  }
}

// Nothing is known of the jobs, and 100 come at once.
TEST(Simulator, AColdBurstIsAnsweredWithinAFewLooks) {
  const Simulation simulation{.options = pool_of_128,
                              .cpus = 2,
                              .jobs = jobs_at(std::vector<nanoseconds>(100, 200ms), 50ms, 20us)};
  const Simulated run = simulate(simulation);
  expect_within_limits(simulation, run);
  EXPECT_LE(longest_wait(simulation, run, 0ns), 3ms);
}

// The second burst waits for nothing: what was learnt and started is still there.
TEST(Simulator, AWarmBurstDoesNotWait) {
  std::vector<nanoseconds> times(100, 200ms);
  times.insert(times.end(), 100, 900ms);
  const Simulation simulation{
      .options = pool_of_128, .cpus = 2, .jobs = jobs_at(times, 5ms, 20us), .until = 2s};
  const Simulated run = simulate(simulation);
  expect_within_limits(simulation, run);
  EXPECT_EQ(longest_wait(simulation, run, 900ms), 0ns);
}

TEST(Simulator, ARampIsFollowedWithoutSwinging) {
  for (const std::optional<std::uint64_t> seed : {std::optional<std::uint64_t>(), {1}, {2}, {3}}) {
    const Simulation simulation{
        .options = pool_of_128,
        .cpus = 2,
        .jobs = jobs_at(arrivals(ramp_rate(10, 8000, 100ms, 900ms), 1s, seed), 10ms, 50us)};
    const Simulated run = simulate(simulation);
    expect_within_limits(simulation, run);
    EXPECT_LT(longest_wait(simulation, run, 0ns), 20ms);
    EXPECT_LE(direction_changes(run.moments, &Moment::allowed), 1U);
    EXPECT_LE(direction_changes(run.moments, &Moment::threads), 1U);
  }
}

TEST(Simulator, ASquareWaveIsServedAfterItsFirstEdge) {
  for (const double low : {200.0, 0.0}) {  // and on and off
    const Simulation simulation{
        .options = pool_of_128,
        .cpus = 2,
        .jobs = jobs_at(arrivals(square_rate(8000, low, 600ms), 6s, 7), 10ms, 50us)};
    const Simulated run = simulate(simulation);
    expect_within_limits(simulation, run);
    EXPECT_LT(longest_wait(simulation, run, 0ns, 600ms), 20ms);
    EXPECT_LT(longest_wait(simulation, run, 600ms), 2ms);
    EXPECT_LE(direction_changes(run.moments, &Moment::threads), 2U * 10U);
    EXPECT_LE(direction_changes(run.moments, &Moment::allowed), 2U);
  }
}

TEST(Simulator, JobsThatComputeNeverMakeThePoolGrow) {
  for (const std::uint32_t cpus : {1U, 2U, 8U}) {
    for (const double load : {0.5, 0.95, 2.0}) {
      const double rate = load * cpus / 2e-3;
      const Simulation simulation{
          .options = {.minimum = cpus, .maximum = 128, .reserve = 4},
          .cpus = cpus,
          .jobs = jobs_at(arrivals(constant_rate(rate), 500ms, 11), 0ns, 2ms)};
      const Simulated run = simulate(simulation);
      expect_within_limits(simulation, run);
      EXPECT_LE(most(run.moments, &Moment::allowed), cpus + 1);
      EXPECT_LE(most(run.moments, &Moment::threads), cpus + 1 + 4);
    }
  }
}

// It takes it a while, as fewer are allowed only when that has been right for some time.
TEST(Simulator, APoolThatWasAllowedManyLearnsThatJobsCompute) {
  std::vector<SimulatedJob> jobs = jobs_at(arrivals(constant_rate(6000), 500ms, 5), 10ms, 20us);
  for (const SimulatedJob& job : jobs_at(arrivals(constant_rate(1500), 1200ms, 6), 0ns, 2ms)) {
    if (job.arrival >= 600ms) jobs.push_back(job);
  }
  const Simulation simulation{.options = pool_of_128, .cpus = 2, .jobs = jobs};
  const Simulated run = simulate(simulation);
  expect_within_limits(simulation, run);
  EXPECT_EQ(most(run.moments, &Moment::allowed), 128U);
  EXPECT_LE(most(run.moments, &Moment::allowed, 1s), 3U);
}

// 95 of 100 are short, 5 are slow and block: the short ones do not wait behind them.
TEST(Simulator, AFewSlowJobsDoNotHoldUpTheOthers) {
  const std::vector<nanoseconds> times = arrivals(constant_rate(4000), 2s, 17);
  std::vector<SimulatedJob> jobs;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool is_slow = i % 20 == 0;
    jobs.push_back({.arrival = times[i], .blocks = is_slow ? 100ms : 0ms, .computes = 50us});
  }
  Simulation simulation{.options = pool_of_128, .cpus = 2, .jobs = jobs};
  const Simulated ours = simulate(simulation);
  expect_within_limits(simulation, ours);
  simulation.fixed = 8;
  const Simulated fixed = simulate(simulation);
  EXPECT_LT(quantile(ours.waited, 0.99), 5ms);
  EXPECT_LT(quantile(ours.waited, 0.99) * 10, quantile(fixed.waited, 0.99));
}

TEST(Simulator, ThreadsThatAreNotNeededEndOneByOne) {
  const Simulation simulation{
      .options = {.minimum = 8, .maximum = 128, .reserve = 8, .shrink_interval = 100ms},
      .cpus = 2,
      .jobs = jobs_at(std::vector<nanoseconds>(100, 10ms), 5ms, 20us),
      .until = 20s};
  const Simulated run = simulate(simulation);
  expect_within_limits(simulation, run);
  EXPECT_GE(most(run.moments, &Moment::threads), 100U);
  EXPECT_EQ(run.moments.back().threads, 8U);
  EXPECT_EQ(direction_changes(run.moments, &Moment::threads), 1U);
  for (std::size_t i = 1; i < run.moments.size(); ++i) {
    EXPECT_LE(run.moments[i - 1].threads, run.moments[i].threads + 1);
  }
}

TEST(Simulator, AChangedBudgetIsFollowed) {
  const Simulation simulation{.options = {.minimum = 2, .maximum = 128, .reserve = 4},
                              .cpus = 2,
                              .jobs = jobs_at(arrivals(constant_rate(3000), 1s, 3), 0ns, 2ms),
                              .cpus_change_at = 300ms,
                              .cpus_afterwards = 6};
  const Simulated run = simulate(simulation);
  expect_within_limits(simulation, run);
  EXPECT_GE(most(run.moments, &Moment::allowed, 310ms), 6U);
  EXPECT_LE(most(run.moments, &Moment::allowed), 7U);
}

TEST(Simulator, JobsThatComputeAreServedAsByTheBestFixedSize) {
  for (const double rate : {500.0, 850.0, 950.0}) {
    Simulation simulation{.options = pool_of_128,
                          .cpus = 2,
                          .jobs = jobs_at(arrivals(constant_rate(rate), 2s, 2), 0ns, 2ms)};
    const nanoseconds ours = quantile(simulate(simulation).total, 0.99);
    for (const std::uint32_t fixed : {1U, 2U, 3U, 4U, 8U, 32U}) {
      simulation.fixed = fixed;
      EXPECT_LE(100 * ours, 103 * quantile(simulate(simulation).total, 0.99)) << fixed;
    }
  }
}

// Beside every fixed size, over jobs that block and jobs that compute.
TEST(Simulator, NoFixedSizeIsAsGoodForAll) {
  Simulation blocking{.options = pool_of_128,
                      .cpus = 2,
                      .jobs = jobs_at(arrivals(square_rate(4000, 100, 200ms), 2s, 1), 20ms, 50us)};
  Simulation computing{.options = pool_of_128,
                       .cpus = 2,
                       .jobs = jobs_at(arrivals(constant_rate(850), 2s, 2), 0ns, 2ms)};
  const auto p99 = [](Simulation& simulation, std::uint32_t fixed) {
    simulation.fixed = fixed;
    const Simulated run = simulate(simulation);
    return std::chrono::duration<double>(quantile(run.total, 0.99)).count();
  };
  const double ours_blocking = p99(blocking, 0);
  const double ours_computing = p99(computing, 0);
  for (const std::uint32_t fixed : {2U, 8U, 32U, 128U}) {
    const double ratios =
        ours_blocking / p99(blocking, fixed) + ours_computing / p99(computing, fixed);
    EXPECT_LT(ratios, 2.03) << fixed;
  }
}

TEST(Simulator, TheSameSeedGivesTheSameRun) {
  const auto times = arrivals(constant_rate(1000), 1s, 42);
  EXPECT_EQ(times, arrivals(constant_rate(1000), 1s, 42));
  EXPECT_NE(times, arrivals(constant_rate(1000), 1s, 43));
  EXPECT_NEAR(static_cast<double>(times.size()), 1000, 150);
}

}  // namespace
}  // namespace weft::pool
