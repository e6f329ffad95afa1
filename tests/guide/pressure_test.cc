// SPDX-License-Identifier: Apache-2.0
// docs/guide/pressure.md: a queue says nothing of memory, and a threshold flaps. In virtual time;
// with real hogs: tests/kit/pressure_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>

#include "admission/simulator.h"

namespace weft::admission {
namespace {

using namespace std::chrono_literals;

// Everybody waits for memory more than half of the time, from 20 s to 60 s.
PressureSample thrashing(nanoseconds now) {
  const double share = now > 20s && now < 60s ? 60.0 : 0.0;
  return {.memory_full = StallSample{share, share, std::chrono::microseconds(now / 1us)}};
}

// A third of what the CPUs can serve: nobody waits for one.
Simulated two_minutes(std::function<PressureSample(nanoseconds)> pressure) {
  Simulation simulation;
  simulation.cpus = 2;
  simulation.load = [](nanoseconds) { return 0.3; };
  simulation.most_load = 0.3;
  simulation.critical_part = 0.1;
  simulation.until = 120s;
  simulation.pressure = std::move(pressure);
  return simulate(simulation);
}

struct Count {
  std::uint64_t let_in = 0;
  std::uint64_t refused = 0;
};

Count count(const Simulated& run, Priority priority, nanoseconds from, nanoseconds to) {
  Count result;
  for (const SimulatedRequest& request : run.requests) {
    if (request.priority != priority || request.arrival < from || request.arrival >= to) continue;
    (request.refusal == Refusal::none ? result.let_in : result.refused) += 1;
  }
  return result;
}

TEST(TheBug, AQueueSaysNothingOfMemory) {
  const Simulated run = two_minutes({});
  const Count during = count(run, Priority::normal, 25s, 60s);
  EXPECT_EQ(during.refused, 0U) << "the bug does not show any more, and the guide is wrong";
}

TEST(TheCure, PressureClosesTheDoorAndOpensItAgain) {
  const Simulated run = two_minutes(thrashing);
  EXPECT_EQ(count(run, Priority::normal, 0s, 20s).refused, 0U);
  EXPECT_EQ(count(run, Priority::normal, 25s, 60s).let_in, 0U);
  EXPECT_EQ(count(run, Priority::critical, 25s, 60s).refused, 0U);
  EXPECT_EQ(count(run, Priority::normal, 75s, 120s).refused, 0U);
}

// Memory stalls that come for four seconds and go for four, 10 % on average; averaged as the kernel
// does it.
class Wavering {
 public:
  StallSample at(nanoseconds now) {
    const double share = now / 4s % 2 == 0 ? 20 : 0;
    short_average_ += (share - short_average_) * (1 - std::exp(-step / 10));
    long_average_ += (share - long_average_) * (1 - std::exp(-step / 60));
    total_ += std::chrono::microseconds(static_cast<std::int64_t>(share / 100 * step * 1e6));
    return {short_average_, long_average_, total_};
  }
  static constexpr double step = 0.5;  // seconds

 private:
  double short_average_ = 10;
  double long_average_ = 10;
  std::chrono::microseconds total_{0};
};

// How often a decision that is made each half second for two minutes changes.
template <class Decision>
int changes_of(Decision sheds) {
  Wavering memory;
  int changes = 0;
  bool before = false;
  for (nanoseconds now = 1s; now < 121s; now += 500ms) {
    const bool is_shedding = sheds(now, memory.at(now));
    changes += is_shedding != before ? 1 : 0;
    before = is_shedding;
  }
  return changes;
}

TEST(TheBug, AThresholdFlaps) {
  const int changes =
      changes_of([](nanoseconds, const StallSample& sample) { return sample.short_average > 10; });
  std::printf("a threshold changed its mind %d times\n", changes);
  EXPECT_GT(changes, 20) << "the bug does not show any more, and the guide is wrong";
}

TEST(TheCure, TwoAveragesAndASlowHandDoNot) {
  PressureControl control;
  const int changes = changes_of([&](nanoseconds now, const StallSample& sample) {
    return control.look(now, {.memory_full = sample}, false).low_share > 0;
  });
  EXPECT_EQ(changes, 1) << "it sheds some from then on";
}

}  // namespace
}  // namespace weft::admission
