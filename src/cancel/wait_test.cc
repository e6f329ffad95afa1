// SPDX-License-Identifier: Apache-2.0
// Waits for a condition that end when they are cancelled, and hold up nobody else's deadline.
#include <weft/cancel_wait.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(Wait, AnswersThePredicate) {
  std::mutex mutex;
  std::condition_variable changed;
  std::unique_lock lock(mutex);
  EXPECT_TRUE(wait(changed, lock, CancelToken(), [] { return true; }));
  CancelSource source;
  source.cancel(CancelReason::client);
  EXPECT_FALSE(wait(changed, lock, source.token(), [] { return false; }));
  EXPECT_TRUE(wait(changed, lock, source.token(), [] { return true; }));
  EXPECT_TRUE(lock.owns_lock());
  EXPECT_FALSE(wait_until(changed, lock, CancelToken(), Clock::now() + 1ms, [] { return false; }));
}

// Who holds the lock that another waits with waits itself, for a later deadline; and a third one
// has nothing to do with either.
TEST(Wait, DoesNotHoldUpTheDeadlinesOfOthers) {
  std::mutex mutex;
  std::condition_variable never;
  std::atomic<bool> waits{false};
  const auto begin = Clock::now();
  std::thread first([&] {
    const CancelScope scope(begin + 20ms);
    std::unique_lock lock(mutex);
    waits = true;
    EXPECT_FALSE(wait(never, lock, scope.token(), [] { return false; }));
  });
  while (!waits) std::this_thread::yield();
  {
    const std::scoped_lock held(mutex);
    const CancelScope scope(begin + 60ms);
    const CancelScope third(begin + 80ms, CancelToken());
    std::mutex other;
    std::condition_variable nothing;
    std::unique_lock lock(other);
    EXPECT_FALSE(wait(nothing, lock, scope.token(), [] { return false; }));
    EXPECT_FALSE(wait(nothing, lock, third.token(), [] { return false; }));
  }
  first.join();
}

// With the lock held by who cancels, and by who ends the scope.
TEST(Wait, MayBeCancelledUnderTheLock) {
  std::mutex mutex;
  std::condition_variable never;
  for (int round = 0; round < 100; ++round) {
    auto source = std::make_unique<CancelSource>();
    std::atomic<bool> waits{false};
    std::thread waiter([&, token = source->token()] {
      std::unique_lock lock(mutex);
      waits = true;
      EXPECT_FALSE(wait(never, lock, token, [] { return false; }));
    });
    while (!waits) std::this_thread::yield();
    {
      const std::scoped_lock held(mutex);
      source->cancel(CancelReason::client);
      source.reset();
    }
    waiter.join();
  }
}

// A false that is no cancellation would end a consumer for good.
TEST(Wait, IsFalseOnlyWhenItWasCancelled) {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<int> items;
  bool is_over = false;
  std::atomic<int> taken{0};
  std::vector<std::thread> consumers;
  for (int i = 0; i < 3; ++i) {
    consumers.emplace_back([&] {
      for (;;) {
        const CancelScope scope(Clock::now() + 1h);
        std::unique_lock lock(mutex);
        ASSERT_TRUE(wait(changed, lock, scope.token(), [&] { return is_over || !items.empty(); }));
        if (items.empty()) return;
        items.pop_front();
        ++taken;
      }
    });
  }
  for (int i = 0; i < 20'000; ++i) {
    {
      const std::scoped_lock lock(mutex);
      items.push_back(i);
    }
    changed.notify_one();
  }
  {
    const std::scoped_lock lock(mutex);
    is_over = true;
  }
  changed.notify_all();
  for (std::thread& each : consumers) each.join();
  EXPECT_EQ(taken, 20'000);
}

}  // namespace
}  // namespace weft
