// SPDX-License-Identifier: Apache-2.0
// Deadlines come when they are over, not before, once, and as they were last set.
#include "net/deadlines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <deque>
#include <random>
#include <vector>

namespace weft::net {
namespace {

using namespace std::chrono_literals;

const TimePoint start{1000s};

TEST(DeadlinesTest, OneComesWithinATick) {
  Deadlines deadlines(start);
  Deadline deadline;
  deadlines.set(deadline, start + 1s);
  int came = 0;
  const auto count = [&](Deadline&) { ++came; };
  deadlines.expire(start + 999ms, count);
  EXPECT_EQ(came, 0);
  deadlines.expire(start + 1s + Deadlines::tick, count);
  EXPECT_EQ(came, 1);
  EXPECT_FALSE(deadline.is_set());
  EXPECT_EQ(deadlines.next_look(), never);
}

TEST(DeadlinesTest, MovedLaterItComesLater) {
  Deadlines deadlines(start);
  Deadline deadline;
  int came = 0;
  for (int i = 0; i < 100; ++i) {
    deadlines.expire(start + i * 500ms, [&](Deadline&) { ++came; });
    deadlines.set(deadline, start + i * 500ms + 2s);
  }
  EXPECT_EQ(came, 0);
  deadlines.expire(start + 60s, [&](Deadline&) { ++came; });
  EXPECT_EQ(came, 1);
}

TEST(DeadlinesTest, MovedEarlierItComesEarlier) {
  Deadlines deadlines(start);
  Deadline deadline;
  deadlines.set(deadline, start + 1h);
  deadlines.set(deadline, start + 1s);
  EXPECT_LE(deadlines.next_look(), start + 1s + Deadlines::tick);
  int came = 0;
  deadlines.expire(start + 2s, [&](Deadline&) { ++came; });
  EXPECT_EQ(came, 1);
}

TEST(DeadlinesTest, OneThatExpiresMaySetItselfAndCancelOthers) {
  Deadlines deadlines(start);
  Deadline first, second;
  deadlines.set(first, start + 100ms);
  deadlines.set(second, start + 100ms);
  int came = 0;
  deadlines.expire(start + 1s, [&](Deadline& deadline) {
    ++came;
    deadlines.cancel(&deadline == &first ? second : first);
    deadlines.set(deadline, start);  // over already: the next time
  });
  EXPECT_EQ(came, 1);
  EXPECT_EQ(deadlines.count(), 1U);
  deadlines.expire(start + 2s, [&](Deadline&) { ++came; });
  EXPECT_EQ(came, 2);
}

// Against a list that is simply searched.
TEST(DeadlinesTest, ManyAtRandomComeAsTheyShould) {
  std::mt19937 random(11);
  Deadlines deadlines(start);
  std::deque<Deadline> all(200);
  std::vector<TimePoint> expected(all.size(), never);
  TimePoint now = start;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t i = random() % all.size();
    if (random() % 8 == 0) {
      deadlines.cancel(all[i]);
      expected[i] = never;
    } else {
      expected[i] = now + std::chrono::milliseconds{random() % 90'000};
      deadlines.set(all[i], expected[i]);
    }
    now += std::chrono::milliseconds{random() % 100};
    ASSERT_GE(deadlines.next_look() + 1ms, now - 100ms - Deadlines::tick);
    deadlines.expire(now, [&](Deadline& deadline) {
      const auto which = static_cast<std::size_t>(
          std::find_if(all.begin(), all.end(), [&](Deadline& d) { return &d == &deadline; }) -
          all.begin());
      ASSERT_LE(expected[which], now);
      expected[which] = never;
    });
    for (const TimePoint at : expected) ASSERT_GT(at, now - 2 * Deadlines::tick);
  }
}

TEST(PatienceTest, IsRoundedUpAndNeverNegativeButForEver) {
  const TimePoint now{1h};
  EXPECT_EQ(patience_until(now + 1ns, now), 1ms);
  EXPECT_EQ(patience_until(now + 2ms, now), 2ms);
  EXPECT_EQ(patience_until(now, now), 0ms);
  EXPECT_EQ(patience_until(now - 1h, now), 0ms);
  EXPECT_EQ(patience_until(now + 10'000h, now), std::chrono::milliseconds{INT_MAX});
  EXPECT_EQ(patience_until(never, now), -1ms);
}

}  // namespace
}  // namespace weft::net
