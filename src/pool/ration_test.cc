// SPDX-License-Identifier: Apache-2.0
// A quota in virtual time: what the kernel does to who uses it up, and to who stops before.
#include "pool/ration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace weft::pool {
namespace {

using namespace std::chrono_literals;

constexpr nanoseconds period = 100ms;
constexpr nanoseconds tick = 100us;  // of the simulation
constexpr std::uint32_t cpus_of_host = 16;

struct World {
  double cores = 1;
  std::uint32_t cpus = 1;  // that the pool's jobs may use
  double load = 1;         // of the quota
  nanoseconds job = 1ms;   // computes so long, the half of it before it waits
  nanoseconds waits{0};
  double others = 0.02;  // CPUs that threads use which ask nobody
  bool is_rationed = true;
};

struct Told {
  double throttled_periods = 0;  // share
  double used = 0;               // of the quota
  double longest_hold_ms = 0;
  double looks = 0;  // a second
};

// Jobs come by chance, begin when a CPU is free and they may, and stand still while the kernel
// throttles. Jobs that come back from waiting compute at once, whoever else does.
class Simulated {
 public:
  explicit Simulated(const World& world) : world_(world), ration_(quota(), period), random_(1) {}

  Told run(nanoseconds until) {
    nanoseconds held_since{-1};
    nanoseconds next_look{0};
    for (now_ = 0ns; now_ < until; now_ += tick) {
      if (now_ % period == 0ns) begin_period();
      if (world_.is_rationed && now_ >= next_look) {
        const RationAnswer answer = ration_.look(look());
        ++looks_;
        may_begin_ = answer.may_begin;
        limit_ = std::min<std::uint64_t>(allowed(), running_.size() + answer.jobs);
        next_look = now_ + answer.next_look;
      }
      if (!may_begin_ && held_since < 0ns) held_since = now_;
      if (may_begin_ && held_since >= 0ns) {
        told_.longest_hold_ms =
            std::max(told_.longest_hold_ms, static_cast<double>((now_ - held_since).count()) / 1e6);
        held_since = nanoseconds{-1};
      }
      step();
    }
    const auto periods = static_cast<double>(until / period);
    told_.looks = static_cast<double>(looks_) / std::chrono::duration<double>(until).count();
    told_.throttled_periods = static_cast<double>(throttled_) / periods;
    told_.used =
        static_cast<double>(used_.count()) / (static_cast<double>(quota().count()) * periods);
    return told_;
  }

 private:
  struct Job {
    nanoseconds left;
    nanoseconds waits_until;
    bool has_waited;
  };

  nanoseconds quota() const {
    return nanoseconds(
        static_cast<std::int64_t>(world_.cores * static_cast<double>(period.count())));
  }

  std::uint64_t allowed() const {
    return world_.cpus * static_cast<std::uint64_t>((world_.job + world_.waits) / world_.job) +
           (world_.waits > 0ns ? 1 : 0);
  }

  void begin_period() {
    left_ = quota();
    is_throttled_ = false;
  }

  RationLook look() {
    return {.now = now_,
            .began = now_ / period * period,
            .used = used_,
            .running = static_cast<std::uint32_t>(running_.size()),
            .done = done_,
            .throttled = throttled_,
            .cpus = world_.cpus};
  }

  void use(nanoseconds time) {
    used_ += time;
    left_ -= time;
    if (left_ > 0ns || is_throttled_) return;
    is_throttled_ = true;
    ++throttled_;
  }

  void step() {
    const double arrivals =
        world_.load * static_cast<double>(quota().count()) / static_cast<double>(period.count()) *
        static_cast<double>(tick.count()) / static_cast<double>(world_.job.count());
    queued_ += std::poisson_distribution<std::uint32_t>(arrivals)(random_);
    if (is_throttled_) return;
    use(nanoseconds(static_cast<std::int64_t>(world_.others * static_cast<double>(tick.count()))));
    const auto computes = [&](const Job& job) { return job.waits_until <= now_; };
    // As many as keep the CPUs busy while others wait, whoever computes just now.
    while (queued_ > 0 && may_begin_ && running_.size() < limit_) {
      --queued_;
      running_.push_back({world_.job, 0ns, world_.waits == 0ns});
    }
    std::uint32_t idle = cpus_of_host;
    for (Job& job : running_) {
      if (!computes(job) || is_throttled_ || idle == 0) continue;
      --idle;
      use(tick);
      job.left -= tick;
      if (!job.has_waited && job.left <= world_.job / 2) {
        job.has_waited = true;
        job.waits_until = now_ + world_.waits;
      }
    }
    done_ += std::erase_if(running_, [](const Job& job) { return job.left <= 0ns; });
  }

  const World world_;
  Ration ration_;
  std::mt19937_64 random_;
  nanoseconds now_{0};
  nanoseconds used_{0};
  nanoseconds left_{0};
  bool is_throttled_ = false;
  bool may_begin_ = true;
  std::uint64_t limit_ = allowed();
  std::uint64_t throttled_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t looks_ = 0;
  std::uint32_t queued_ = 0;
  std::vector<Job> running_;
  Told told_;
};

std::vector<World> worlds(double load) {
  std::vector<World> all;
  for (const nanoseconds job : {nanoseconds(200us), nanoseconds(1ms), nanoseconds(4ms)}) {
    for (const nanoseconds waits : {0ns, nanoseconds(2ms), nanoseconds(50ms)}) {
      for (const auto& [cores, cpus] : {std::pair{0.5, 1U}, {1.5, 2U}, {3.2, 4U}}) {
        all.push_back({.cores = cores, .cpus = cpus, .load = load, .job = job, .waits = waits});
      }
    }
  }
  return all;
}

// Each a test of its own: with a sanitizer, all together take minutes.
class RationInWorld : public ::testing::TestWithParam<World> {};

TEST_P(RationInWorld, KeepsWithinTheQuotaAndUsesIt) {
  World world = GetParam();
  const Told rationed = Simulated(world).run(6s);
  world.is_rationed = false;
  const Told free = Simulated(world).run(3s);
  EXPECT_GT(free.throttled_periods, 0.9);
  EXPECT_LT(rationed.throttled_periods, 0.1);
  EXPECT_GT(rationed.used, world.waits > world.job * 10 ? 0.85 : 0.88);
  // Each is a thread that wakes up, and with half a core there is little to spare for it.
  EXPECT_LT(rationed.looks, 450);
}

std::string name_of(const ::testing::TestParamInfo<World>& info) {
  const World& world = info.param;
  return "percent_" + std::to_string(static_cast<int>(world.cores * 100)) + "_job_us_" +
         std::to_string(world.job / 1us) + "_waits_ms_" + std::to_string(world.waits / 1ms);
}

INSTANTIATE_TEST_SUITE_P(Quotas, RationInWorld, ::testing::ValuesIn(worlds(1.5)), name_of);

// Evenly: nobody stands still for the rest of the period, as who uses it up at once. Where jobs
// wait for long, those that come back have the rest of it.
TEST(Ration, HoldsBackForShortTimes) {
  for (const World& world : worlds(1.5)) {
    if (world.job > 1ms || world.waits > 2ms) continue;
    EXPECT_LT(Simulated(world).run(3s).longest_hold_ms, 25) << world.cores << " cores";
  }
}

TEST(Ration, HoldsNobodyBackWhoNeedsLittle) {
  for (const World& world : worlds(0.3)) {
    if (world.job > 1ms) continue;
    EXPECT_LT(Simulated(world).run(3s).longest_hold_ms, 5) << world.cores << " cores";
  }
}

// One that computes for ever is most of what is used, and of what a job is thought to cost.
TEST(Ration, ALongJobDoesNotKeepOthersFromBeginning) {
  Ration ration(150ms, 100ms);
  nanoseconds used = 0ns;
  std::uint64_t done = 0;
  std::uint32_t periods_held = 0;
  bool began = false;
  for (nanoseconds now = 0ns; now < 20s; now += 500us) {
    if (now % period == 0ns) {
      periods_held += now > 0ns && !began ? 1 : 0;
      began = false;
    }
    const RationLook look{.now = now,
                          .began = now / period * period,
                          .used = used,
                          .running = 1,
                          .done = done,
                          .cpus = 2};
    began = ration.look(look).may_begin || began;
    if (now % 1s == 0ns) ++done;
    used += 500us;
  }
  EXPECT_EQ(periods_held, 0U);
}

TEST(Ration, SleepsOnlyWhereNothingIsDone) {
  Ration ration(50ms, 100ms);
  ration.look({.now = 1000ms, .began = 1000ms, .used = 0ns, .done = 5});
  EXPECT_TRUE(ration.look({.now = 1001ms, .began = 1000ms, .used = 0ns, .done = 5}).may_sleep);
  EXPECT_FALSE(ration.look({.now = 1002ms, .began = 1000ms, .used = 1ms, .done = 6}).may_sleep);
  EXPECT_FALSE(ration.look({.now = 1003ms, .began = 1000ms, .used = 1ms, .running = 1, .done = 6})
                   .may_sleep);
}

TEST(Ration, AsLongAsThePeriodIsNotKnownAllMayBegin) {
  Ration ration(50ms, 100ms);
  for (nanoseconds now = 1s; now < 2s; now += 1ms) {
    EXPECT_TRUE(ration.look({.now = now, .began = std::nullopt, .used = now}).may_begin);
  }
}

// Nobody looked for a while, in which half of the quota was used evenly.
TEST(Ration, WhatWasUsedWithoutALookIsTakenToBeEven) {
  Ration ration(50ms, 100ms);
  ration.look({.now = 1s, .began = 1000ms, .used = 0ns});
  EXPECT_TRUE(ration.look({.now = 2060ms, .began = 2000ms, .used = 265ms}).may_begin);
  EXPECT_FALSE(ration.look({.now = 2061ms, .began = 2000ms, .used = 300ms}).may_begin);
}

TEST(Ration, ABeginKnownBetterIsNoOtherPeriod) {
  Ration ration(50ms, 100ms);
  ration.look({.now = 1000ms, .began = 1000ms, .used = 0ns});
  EXPECT_FALSE(ration.look({.now = 1030ms, .began = 1000ms, .used = 45ms}).may_begin);
  EXPECT_FALSE(ration.look({.now = 1031ms, .began = 1002ms, .used = 45ms}).may_begin);
  EXPECT_TRUE(ration.look({.now = 1103ms, .began = 1102ms, .used = 46ms}).may_begin);
}

}  // namespace
}  // namespace weft::pool
