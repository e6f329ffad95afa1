// SPDX-License-Identifier: Apache-2.0
// Timers come in order, and those that were cancelled do not.
#include "grpc/timers.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <random>

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;

struct Noted final : Timer {
  explicit Noted(std::function<void()> own) : act(std::move(own)) {}
  void expire() override { act(); }
  std::function<void()> act;
};

Timers::Instant at(int number) {
  return Timers::Instant(std::chrono::seconds(number));
}

TEST(Timers, ComeInTheOrderOfTheirTimes) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Timers timers;
    std::deque<Noted> all;
    std::vector<int> seen;
    std::vector<int> expected;
    for (int i = 0; i < 100; ++i) {
      const int when = static_cast<int>(random() % 50);
      all.emplace_back([&seen, when] { seen.push_back(when); });
      timers.set(all.back(), at(1000));
      timers.set(all.back(), at(when));
      if (random() % 3 == 0) {
        timers.cancel(all.back());
        EXPECT_FALSE(all.back().is_set());
      } else {
        expected.push_back(when);
      }
    }
    std::ranges::sort(expected);
    for (int now = 0; now < 60; ++now) {
      timers.expire(at(now));
      EXPECT_GT(timers.next(), at(now));
    }
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(timers.count(), 0U);
    EXPECT_EQ(timers.next(), Timers::Instant::max());
  }
}

TEST(Timers, OneMayCancelAnotherThatIsDue) {
  Timers timers;
  int called = 0;
  Noted second([&] { ++called; });
  Noted first([&] {
    ++called;
    timers.cancel(second);
  });
  timers.set(first, at(1));
  timers.set(second, at(2));
  timers.expire(at(3));
  EXPECT_EQ(called, 1);
  EXPECT_FALSE(second.is_set());
}

TEST(Timers, OneMayBeSetAgainAndComesTheNextTime) {
  Timers timers;
  int called = 0;
  Noted* own = nullptr;
  Noted again([&] {
    ++called;
    timers.set(*own, at(0));
  });
  own = &again;
  timers.set(again, at(1));
  timers.expire(at(2));
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(again.is_set());
  timers.expire(at(2));
  EXPECT_EQ(called, 2);
  timers.cancel(again);
}

}  // namespace
}  // namespace weft::grpc
