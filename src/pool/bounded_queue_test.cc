// SPDX-License-Identifier: Apache-2.0
// The bounded queue with real threads, and what each of its calls answers.
#include <weft/bounded_queue.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace std::chrono_literals;

TEST(BoundedQueue, GivesInTheOrderOfPushing) {
  BoundedQueue<int> queue(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.push(i));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.pop(), i);
  EXPECT_EQ(queue.try_pop(), std::nullopt);
}

TEST(BoundedQueue, RefusesWhatItHasNoRoomFor) {
  BoundedQueue<int> queue(2);
  EXPECT_EQ(queue.try_push(1), Pushed::accepted);
  EXPECT_EQ(queue.try_push(2), Pushed::accepted);
  EXPECT_EQ(queue.try_push(3), Pushed::full);
  EXPECT_EQ(queue.push_for(4, 1ms), Pushed::full);
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.push_for(5, 1ms), Pushed::accepted);
}

TEST(BoundedQueue, HasRoomForOneAtLeast) {
  BoundedQueue<int> queue(0);
  EXPECT_EQ(queue.try_push(1), Pushed::accepted);
}

TEST(BoundedQueue, WhatIsRefusedIsStillTheCallers) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  ASSERT_TRUE(queue.push(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_EQ(queue.try_push(std::move(second)), Pushed::full);
  ASSERT_NE(second, nullptr);
  queue.close();
  EXPECT_FALSE(queue.push(std::move(second)));
  EXPECT_NE(second, nullptr);
}

TEST(BoundedQueue, ClosedGivesWhatIsLeftAndThenNothing) {
  BoundedQueue<int> queue(4);
  ASSERT_TRUE(queue.push(1));
  ASSERT_TRUE(queue.push(2));
  queue.close();
  EXPECT_TRUE(queue.closed());
  EXPECT_EQ(queue.try_push(3), Pushed::closed);
  EXPECT_EQ(queue.push_for(3, 1h), Pushed::closed);
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop_for(1h), 2);
  EXPECT_EQ(queue.pop(), std::nullopt);
  EXPECT_EQ(queue.pop_for(1h), std::nullopt);
}

TEST(BoundedQueue, GivesTheNewestFirstAboveADepth) {
  BoundedQueue<int> queue(8, 2);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(queue.push(i));
  EXPECT_EQ(queue.pop(), 3);
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.pop(), 0);
  EXPECT_EQ(queue.pop(), 1);
}

TEST(BoundedQueue, ADeadlineThatIsOverDoesNotWait) {
  BoundedQueue<int> queue(1);
  EXPECT_EQ(queue.pop_until(std::chrono::steady_clock::now() - 1s), std::nullopt);
  ASSERT_TRUE(queue.push(1));
  EXPECT_EQ(queue.pop_until(std::chrono::steady_clock::now() - 1s), 1);
}

TEST(BoundedQueue, CloseWakesAllWhoWait) {
  BoundedQueue<int> empty(1);
  BoundedQueue<int> full(1);
  ASSERT_TRUE(full.push(0));
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(empty.pop(), std::nullopt); });
    threads.emplace_back([&] { EXPECT_FALSE(full.push(1)); });
  }
  empty.close();
  full.close();
  for (std::thread& thread : threads) thread.join();
}

TEST(BoundedQueue, NothingAcceptedIsLost) {
  constexpr int pushers = 3;
  constexpr int items = 2'000;
  BoundedQueue<int> queue(4);
  std::vector<std::atomic<int>> taken(std::size_t{pushers} * items);
  std::atomic<int> accepted{0};
  std::vector<std::thread> threads;
  for (int pusher = 0; pusher < pushers; ++pusher) {
    threads.emplace_back([&, pusher] {
      for (int i = 0; i < items; ++i) {
        if (!queue.push(pusher * items + i)) return;
        if (accepted.fetch_add(1) == pushers * items / 2) queue.close();
      }
    });
    threads.emplace_back([&] {
      while (const std::optional<int> item = queue.pop()) ++taken[static_cast<std::size_t>(*item)];
    });
  }
  for (std::thread& thread : threads) thread.join();
  int sum = 0;
  for (const auto& times : taken) {
    EXPECT_LE(times.load(), 1);
    sum += times.load();
  }
  EXPECT_EQ(sum, accepted.load());
}

TEST(BoundedQueue, LetsGoOfWhoIsCancelled) {
  BoundedQueue<int> queue(1);
  CancelSource source;
  std::thread canceller([&] {
    std::this_thread::sleep_for(1ms);
    source.cancel(CancelReason::client);
  });
  EXPECT_EQ(queue.pop(source.token()), std::nullopt);
  canceller.join();
  ASSERT_TRUE(queue.push(1));
  EXPECT_EQ(queue.push(2, source.token()), Pushed::full);
  EXPECT_EQ(queue.pop(source.token()), 1) << "what is there is given, cancelled or not";
  EXPECT_EQ(queue.push(3, source.token()), Pushed::accepted);
}

// Whoever is cancelled takes no other's turn with it.
TEST(BoundedQueue, LosesNothingToThoseThatAreCancelled) {
  BoundedQueue<int> queue(2);
  std::atomic<int> pushed{0};
  std::atomic<int> popped{0};
  std::vector<std::thread> threads;
  std::thread staying([&] {
    while (queue.pop()) ++popped;
  });
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 500; ++round) {
        const CancelScope scope(std::chrono::steady_clock::now() +
                                std::chrono::microseconds(round % 50));
        if (i % 2 == 0) {
          if (queue.push(int{round}, scope.token()) == Pushed::accepted) ++pushed;
          if (queue.push(int{round})) ++pushed;
        } else if (queue.pop(scope.token())) {
          ++popped;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  queue.close();
  staying.join();
  EXPECT_EQ(pushed, popped);
}

}  // namespace
}  // namespace weft
