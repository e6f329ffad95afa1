// SPDX-License-Identifier: Apache-2.0
// The queue's controller, look by look.
#include "admission/queue_control.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace weft::admission {
namespace {

using namespace std::chrono_literals;

// So many in each look, the queue standing.
QueueSample overload(std::uint64_t offered, std::uint64_t begun, std::uint32_t waiting) {
  QueueSample sample;
  sample.offered = sample.offered_normal = sample.admitted = offered;
  sample.begun = sample.ended = begun;
  sample.shortest_wait = begun > 0 ? nanoseconds(20ms) : nanoseconds::max();
  sample.waiting = waiting;
  sample.in_flight = waiting + 2;
  sample.cpus = 2;
  return sample;
}

class Looking {
 public:
  QueuePlan look(const QueueSample& sample) { return control_.look(now_ += 5ms, sample); }
  QueuePlan look(const QueueSample& sample, int times) {
    QueuePlan plan;
    for (int i = 0; i < times; ++i) plan = look(sample);
    return plan;
  }

 private:
  QueueControl control_;
  nanoseconds now_ = 1000s;
};

// Ten begin in five milliseconds, so a tenth of a second's work is 200.
QueueSample usual() {
  QueueSample sample = overload(10, 10, 0);
  sample.shortest_wait = 0ns;
  return sample;
}

QueueSample refusing() {
  QueueSample sample = overload(40, 10, 50);
  sample.refused = sample.limited = sample.limited_normal = 30;
  sample.admitted = 10;
  return sample;
}

TEST(QueueControl, ManyMoreThanBeginIsOverloadAfterAWhile) {
  Looking looking;
  looking.look(usual(), 20);
  EXPECT_FALSE(looking.look(overload(40, 10, 50), 5).sheds);
  const QueuePlan plan = looking.look(overload(40, 10, 50), 2);
  EXPECT_TRUE(plan.sheds);
  EXPECT_LE(plan.may_wait, 2U);
}

TEST(QueueControl, ManyMoreThanBeginIsOverloadAtOnceWhenMuchWaits) {
  Looking looking;
  looking.look(usual(), 20);
  const QueuePlan plan = looking.look(overload(60, 10, 100), 3);
  EXPECT_FALSE(plan.sheds);
  EXPECT_EQ(plan.may_wait, 120U);  // 60 ms of work
  EXPECT_TRUE(looking.look(overload(60, 10, 120)).sheds);
}

// 200 begin at the beginning of each period of a quota and none in the rest of it, as a pool lets
// them that is held back: 60 ms of work are 120, and not the 1,200 of a moment.
TEST(QueueControl, WithAQuotaWorkIsWhatAWholePeriodHasOfIt) {
  const auto may_wait = [](nanoseconds quota_period) {
    Looking looking;
    const auto look = [&](QueueSample sample) {
      sample.quota_period = quota_period;
      return looking.look(sample);
    };
    look(usual());
    for (int period = 0; period < 3; ++period) {
      look(overload(200, 200, 0));
      for (int i = 1; i < 20; ++i) look(overload(0, 0, 0));
    }
    for (int i = 0; i < 2; ++i) look(overload(60, 10, 50));
    return look(overload(60, 10, 50)).may_wait;
  };
  EXPECT_NEAR(may_wait(100ms), 120, 10);
  EXPECT_GT(may_wait(0ns), 1000U);
}

// Who comes last of 40 waits for twice as long with half a core: fewer have to say it.
TEST(QueueControl, WithAPartOfACoreFewerSayThatItIsOverload) {
  const auto waiting_when_it_sheds = [](double part_of_time) {
    Looking looking;
    QueueSample sample = overload(1, 1, 0);
    sample.part_of_time = part_of_time;
    looking.look(sample, 20);
    sample = overload(2, 1, 0);
    sample.part_of_time = part_of_time;
    do {
      ++sample.waiting;
    } while (!looking.look(sample).sheds && sample.waiting < 200);
    return sample.waiting;
  };
  EXPECT_GT(waiting_when_it_sheds(1), 50U);
  EXPECT_LT(waiting_when_it_sheds(0.5), 45U);
}

// Refused first, and let in from then on; until that is long ago.
TEST(QueueControl, WhoWasMistakenIsMorePatient) {
  Looking looking;
  const QueueSample burst = overload(40, 10, 50);
  QueueSample empty;
  empty.cpus = 1;
  const auto is_shed = [&] {
    looking.look(usual(), 20);
    const bool sheds = looking.look(burst, 12).sheds;
    EXPECT_FALSE(looking.look(empty, 110).sheds);
    return sheds;
  };
  EXPECT_TRUE(is_shed());
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(is_shed());
  looking.look(usual(), 2000);
  EXPECT_TRUE(is_shed());
}

TEST(QueueControl, WhoWaitsWhenItBeginsToShedIsLate) {
  Looking looking;
  looking.look(usual(), 20);
  EXPECT_EQ(looking.look(overload(40, 10, 50), 5).late, nanoseconds::max());
  EXPECT_EQ(looking.look(overload(40, 10, 50), 2).late, 10ms);
}

// Where a request takes 100 ms, even the one that may wait waits for as long.
TEST(QueueControl, WhereRequestsTakeLongLateIsLater) {
  Looking looking;
  QueueSample sample = overload(2, 0, 60);
  for (int i = 0; i < 200; ++i) {
    sample.begun = i % 20 == 0 ? 1 : 0;
    if (looking.look(sample).sheds) sample.refused = sample.limited = sample.offered;
  }
  const QueuePlan plan = looking.look(sample);
  ASSERT_TRUE(plan.sheds);
  EXPECT_GE(plan.late, plan.may_wait * 100ms);
}

TEST(QueueControl, OneBurstIsNotOverload) {
  Looking looking;
  looking.look(usual(), 20);
  QueueSample burst = overload(180, 10, 170);
  burst.shortest_wait = 0ns;
  EXPECT_FALSE(looking.look(burst).sheds);
  for (std::uint32_t waiting = 160; waiting > 0; waiting -= 10) {
    EXPECT_FALSE(looking.look(overload(0, 10, waiting)).sheds);
  }
}

TEST(QueueControl, AShortQueueIsNeverOverload) {
  Looking looking;
  QueueSample sample = overload(1000, 900, 3);
  sample.shortest_wait = 0ns;
  EXPECT_FALSE(looking.look(sample, 200).sheds);
}

TEST(QueueControl, BusyCpusAreNoReason) {
  Looking looking;
  QueueSample sample = overload(10, 10, 4);
  sample.shortest_wait = 1ms;
  const QueuePlan plan = looking.look(sample, 1000);
  EXPECT_FALSE(plan.sheds);
  EXPECT_EQ(plan.may_wait, QueuePlan::unlimited);
}

TEST(QueueControl, ALongQueueIsOverloadHoweverSlowlyItGrew) {
  Looking looking;
  EXPECT_FALSE(looking.look(overload(5, 5, 150), 100).sheds);
  EXPECT_TRUE(looking.look(overload(5, 5, 200)).sheds);
}

TEST(QueueControl, AQueueThatStandsForASecondIsOverloadHoweverShort) {
  Looking looking;
  QueueSample sample = overload(1, 1, 5);
  EXPECT_FALSE(looking.look(sample, 100).sheds);
  sample.shortest_wait = 1s;
  EXPECT_TRUE(looking.look(sample).sheds);
}

// Whoever never says that a request has begun has no queue that could be known.
TEST(QueueControl, WithoutStartsNothingIsShed) {
  Looking looking;
  EXPECT_FALSE(looking.look(overload(100, 0, 500), 100).sheds);
}

TEST(QueueControl, IdleCpusLetMoreWaitUntilNobodyIsLimited) {
  Looking looking;
  looking.look(overload(40, 10, 50), 30);
  QueueSample sample = overload(20, 10, 1);
  sample.limited = sample.limited_normal = sample.refused = 10;
  sample.admitted = 10;
  sample.shortest_wait = 1ms;
  sample.idle = 6;  // three in ten
  std::uint32_t before = looking.look(sample).may_wait;
  bool has_ended = false;
  for (int i = 0; i < 500 && !has_ended; ++i) {
    const QueuePlan plan = looking.look(sample);
    has_ended = !plan.sheds;
    if (has_ended) break;
    EXPECT_GE(plan.may_wait, before);
    before = plan.may_wait;
  }
  EXPECT_TRUE(has_ended);
  EXPECT_GT(before, 20U);
}

TEST(QueueControl, BusyCpusLetFewerWaitDownToOne) {
  Looking looking;
  looking.look(overload(40, 10, 50), 30);
  QueueSample sample = overload(100, 10, 1);
  sample.limited = sample.limited_normal = sample.refused = 90;
  sample.admitted = 10;
  const QueuePlan plan = looking.look(sample, 100);
  EXPECT_TRUE(plan.sheds);
  EXPECT_EQ(plan.may_wait, 1U);
}

TEST(QueueControl, AWhileWithoutRefusalEndsIt) {
  Looking looking;
  ASSERT_TRUE(looking.look(refusing(), 30).sheds);
  QueueSample calm = overload(5, 5, 0);
  calm.in_flight = 1;
  calm.shortest_wait = 0ns;
  EXPECT_TRUE(looking.look(calm, 55).sheds);
  EXPECT_FALSE(looking.look(calm, 10).sheds);
}

TEST(QueueControl, WithFewRequestsTheWhileIsLonger) {
  Looking looking;
  ASSERT_TRUE(looking.look(refusing(), 30).sheds);
  QueueSample calm;
  calm.cpus = 1;
  calm.in_flight = 1;
  EXPECT_TRUE(looking.look(calm, 150).sheds);
  EXPECT_FALSE(looking.look(calm, 55).sheds);
}

// Anything may come, and the plan still makes sense.
TEST(QueueControl, NoSampleBreaksIt) {
  std::mt19937_64 random(7);
  const auto up_to = [&](std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(0, most)(random);
  };
  for (int round = 0; round < 200; ++round) {
    QueueControl control;
    nanoseconds now{static_cast<std::int64_t>(up_to(1'000'000'000))};
    for (int i = 0; i < 300; ++i) {
      now += nanoseconds(static_cast<std::int64_t>(up_to(50'000'000)));
      QueueSample sample;
      sample.offered = up_to(500);
      sample.offered_normal = up_to(sample.offered);
      sample.admitted = up_to(sample.offered);
      sample.admitted_low = up_to(sample.admitted);
      sample.refused = sample.offered - sample.admitted;
      sample.limited = up_to(sample.refused);
      sample.limited_normal = up_to(sample.limited);
      sample.begun = up_to(500);
      sample.ended = up_to(500);
      sample.unhindered = up_to(sample.begun);
      sample.idle = static_cast<double>(up_to(sample.offered));
      if (up_to(1) == 0)
        sample.shortest_wait = nanoseconds(static_cast<std::int64_t>(up_to(2'000'000'000)));
      if (up_to(1) == 0)
        sample.shortest_elsewhere = nanoseconds(static_cast<std::int64_t>(up_to(2'000'000'000)));
      sample.waiting = static_cast<std::uint32_t>(up_to(1000));
      sample.in_flight = sample.waiting + static_cast<std::uint32_t>(up_to(10));
      sample.cpus = 1 + static_cast<std::uint32_t>(up_to(64));
      const QueuePlan plan = control.look(now, sample);
      ASSERT_GE(plan.low_may_wait, 1U);
      ASSERT_GE(plan.may_wait, plan.low_may_wait);
      ASSERT_GE(plan.share, 0);
      ASSERT_LE(plan.share, 0.99);
      ASSERT_TRUE(plan.share == 0 || plan.sheds);
    }
  }
}

}  // namespace
}  // namespace weft::admission
