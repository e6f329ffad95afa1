// SPDX-License-Identifier: Apache-2.0
// Subscribers of a watch on a real quota: several, some that leave, some that look themselves.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include <weft/budget_watch.h>

#include "tests/support/nested_cgroups.h"
#include "tests/support/recorder.h"

namespace weft::budget {
namespace {

using sandbox::Quota;
using std::chrono::milliseconds;
using support::Inside;
using support::make_nest;

constexpr milliseconds no_thread{0};
constexpr milliseconds short_period{20};

// A process in a leaf below a quota that the test changes.
class CgroupSubscribers : public support::CgroupTest {
 protected:
  void SetUp() override {
    support::CgroupTest::SetUp();
    if (IsSkipped()) return;
    auto made = make_nest({}, Quota{.cores = 0.5}, {});
    ASSERT_TRUE(made.ok()) << made.error().message;
    nest_.emplace(std::move(*made));
    inside_.emplace(nest_->leaf);
  }

  void set_cores(double cores) {
    const auto status = nest_->parent.set_quota(Quota{.cores = cores});
    ASSERT_TRUE(status.ok()) << status.error().message;
  }

  std::optional<support::Nest> nest_;
  std::optional<Inside> inside_;  // goes first
};

TEST_F(CgroupSubscribers, AllAreToldAtOnceAndAfterEachChange) {
  Watch watch({}, no_thread);
  const support::Recorder first(watch);
  set_cores(0.6);
  ASSERT_TRUE(watch.refresh());
  const support::Recorder second(watch);
  set_cores(0.7);
  ASSERT_TRUE(watch.refresh());

  const auto first_told = first.told();
  ASSERT_EQ(first_told.size(), 3U);
  EXPECT_DOUBLE_EQ(first_told[0].cores, 0.5);
  EXPECT_DOUBLE_EQ(first_told[1].cores, 0.6);
  EXPECT_DOUBLE_EQ(first_told[2].cores, 0.7);
  const auto second_told = second.told();
  ASSERT_EQ(second_told.size(), 2U);
  EXPECT_DOUBLE_EQ(second_told[0].cores, 0.6);
  EXPECT_DOUBLE_EQ(second_told[1].cores, 0.7);
}

TEST_F(CgroupSubscribers, OneThatHasLeftIsNotToldAndTheOthersAre) {
  Watch watch({}, short_period);
  support::Recorder leaves(watch);
  const support::Recorder stays(watch);
  leaves.unsubscribe();
  set_cores(0.25);
  ASSERT_TRUE(stays.wait_for(2));
  EXPECT_EQ(leaves.told().size(), 1U);
}

TEST_F(CgroupSubscribers, OneLeavesInsideItsOwnCallback) {
  Watch watch({}, short_period);
  const support::Recorder before(watch);
  std::atomic<int> calls{0};
  Watch::Subscription subscription;  // written before the first change, used in the callback
  subscription = watch.subscribe([&](const Budget& budget) {
    ++calls;
    if (budget.cpu.cores == 0.25) subscription.reset();
  });
  const support::Recorder after(watch);
  EXPECT_EQ(calls, 1);

  set_cores(0.25);
  ASSERT_TRUE(before.wait_for(2));
  ASSERT_TRUE(after.wait_for(2));
  EXPECT_EQ(calls, 2);
  set_cores(0.75);
  ASSERT_TRUE(before.wait_for(3));
  ASSERT_TRUE(after.wait_for(3));
  EXPECT_EQ(calls, 2);
}

TEST_F(CgroupSubscribers, ACallbackThatThrowsIsCountedAndTheOthersAreTold) {
  Watch watch({}, no_thread);
  const auto subscription =
      watch.subscribe([](const Budget&) { throw std::runtime_error("a subscriber's trouble"); });
  const support::Recorder recorder(watch);
  set_cores(0.25);
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(recorder.told().size(), 2U);
  EXPECT_EQ(watch.counters().callback_exceptions, 2U);
}

TEST_F(CgroupSubscribers, ASubscriptionMayOutliveTheWatch) {
  auto watch = std::make_unique<Watch>(Query(), short_period);
  int calls = 0;
  auto subscription = watch->subscribe([&](const Budget&) { ++calls; });
  watch.reset();
  subscription.reset();
  EXPECT_EQ(calls, 1);
}

// Whoever looks, a callback runs once at a time, and the last one tells what holds in the end.
TEST_F(CgroupSubscribers, ManyLookAtTheSameTime) {
  Watch watch({}, milliseconds(1));
  std::atomic<int> inside{0};
  std::atomic<int> overlaps{0};
  std::atomic<double> newest{0};
  const auto subscription = watch.subscribe([&](const Budget& budget) {
    if (++inside != 1) ++overlaps;
    newest = budget.cpu.cores;
    std::this_thread::yield();
    --inside;
  });
  {
    std::atomic<bool> stop{false};
    const auto look = [&] {
      while (!stop) {
        watch.refresh();
        const support::Recorder comes_and_goes(watch);
      }
    };
    const std::jthread one(look);
    const std::jthread other(look);
    for (int round = 0; round < 50; ++round) {
      set_cores(round % 2 == 0 ? 0.9 : 0.8);
      std::this_thread::sleep_for(milliseconds(2));
    }
    stop = true;
  }
  set_cores(0.7);
  watch.refresh();
  EXPECT_DOUBLE_EQ(watch.current()->cpu.cores, 0.7);
  const support::Recorder last(watch);
  EXPECT_DOUBLE_EQ(last.told().front().cores, 0.7);
  for (int attempt = 0; newest != 0.7 && attempt < 10'000; ++attempt) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_DOUBLE_EQ(newest, 0.7);
  EXPECT_EQ(overlaps, 0);
}

}  // namespace
}  // namespace weft::budget
