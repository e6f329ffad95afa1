// SPDX-License-Identifier: Apache-2.0
// Semaphores between threads, and in signal handlers.
#include "sync/semaphore.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <cstring>
#include <deque>

#include "sync/test_threads.h"

namespace weft::sync {
namespace {

using testing::in;
using testing::invalid_deadline;
using testing::run_together;
using testing::TestThread;
using namespace std::chrono_literals;

TEST(SemaphoreTest, CountsItsTokens) {
  sem_t object;
  std::memset(&object, 0xA5, sizeof object);
  Semaphore& semaphore = as_semaphore(&object);
  EXPECT_EQ(semaphore.init(2), 0);
  EXPECT_TRUE(semaphore.is_ours());
  EXPECT_EQ(semaphore.wait(), 0);
  EXPECT_EQ(semaphore.value(), 1U);
  EXPECT_EQ(semaphore.try_wait(), 0);
  EXPECT_EQ(semaphore.try_wait(), EAGAIN);
  EXPECT_EQ(semaphore.post(), 0);
  EXPECT_EQ(semaphore.value(), 1U);
  EXPECT_EQ(semaphore.wait_until(in(-1s)), 0) << "there is a token";
}

TEST(SemaphoreTest, HasTheLayoutOfLibc) {
  sem_t object{};
  ASSERT_EQ(sem_init(&object, 0, 7), 0);
  EXPECT_EQ(as_semaphore(&object).value(), 7U);
  EXPECT_TRUE(as_semaphore(&object).is_ours());
  ASSERT_EQ(sem_init(&object, 1, 7), 0);
  EXPECT_FALSE(as_semaphore(&object).is_ours());
}

TEST(SemaphoreTest, StopsAtItsLargestValue) {
  sem_t object{};
  Semaphore& semaphore = as_semaphore(&object);
  EXPECT_EQ(semaphore.init(static_cast<unsigned>(SEM_VALUE_MAX) + 1), EINVAL);
  EXPECT_EQ(semaphore.init(SEM_VALUE_MAX), 0);
  EXPECT_EQ(semaphore.post(), EOVERFLOW);
  EXPECT_EQ(semaphore.wait(), 0);
  EXPECT_EQ(semaphore.post(), 0);
}

TEST(SemaphoreTest, GivesUpAtItsDeadline) {
  sem_t object{};
  Semaphore& semaphore = as_semaphore(&object);
  for (const auto clock : testing::both_clocks) {
    EXPECT_EQ(semaphore.wait_until(in(-1s, clock)), ETIMEDOUT);
    EXPECT_EQ(semaphore.wait_until(in(3ms, clock)), ETIMEDOUT);
  }
  EXPECT_EQ(semaphore.wait_until(invalid_deadline()), EINVAL);
  EXPECT_EQ(semaphore.post(), 0);
  EXPECT_EQ(semaphore.wait_until(invalid_deadline()), 0) << "it did not have to wait";
}

TEST(SemaphoreTest, TokensGoInTheOrderOfArrival) {
  sem_t object{};
  Semaphore& semaphore = as_semaphore(&object);
  std::deque<TestThread> waiters;
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) {
    waiters.emplace_back([&, i] {
      EXPECT_EQ(semaphore.wait(), 0);
      order.push_back(i);
    });
    waiters.back().wait_until_parked(&object);
  }
  EXPECT_EQ(semaphore.value(), 0U);
  for (TestThread& waiter : waiters) {
    semaphore.post();
    waiter.join();
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(semaphore.value(), 0U);
}

TEST(SemaphoreTest, NoTokenIsLostUnderLoad) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    sem_t object{};
    Semaphore& semaphore = as_semaphore(&object);
    std::atomic<int> balance{0};
    run_together(4, [&](int thread) {
      testing::Dice dice(seed * 4 + static_cast<std::uint32_t>(thread));
      for (int i = 0; i < 4000; ++i) {
        if (thread < 2) {
          semaphore.post();
          ++balance;
          continue;
        }
        const int result =
            dice.below(3) == 0
                ? semaphore.wait_until(in(std::chrono::nanoseconds(dice.below(20'000))))
                : semaphore.try_wait();
        if (result == 0) --balance;
      }
    });
    EXPECT_EQ(static_cast<int>(semaphore.value()), balance.load());
    while (semaphore.try_wait() == 0) --balance;
    EXPECT_EQ(balance.load(), 0);
  }
}

// The one who gets the token frees the semaphore; AddressSanitizer knows who comes later.
TEST(SemaphoreTest, WhoTakesTheTokenMayFreeIt) {
  for (int round = 0; round < 1500; ++round) {
    auto* const object = new sem_t{};
    run_together(2, [&](int thread) {
      if (thread == 0) {
        as_semaphore(object).post();
        return;
      }
      as_semaphore(object).wait();
      std::memset(object, 0xEE, sizeof(sem_t));
      delete object;
    });
  }
}

TEST(SemaphoreTest, AForkLeavesItsWaitersBehind) {
  sem_t object{};
  Semaphore& semaphore = as_semaphore(&object);
  TestThread waiter([&] { semaphore.wait(); });
  waiter.wait_until_parked(&object);
  EXPECT_TRUE(testing::holds_in_child([&] {
    return semaphore.post() == 0 && semaphore.value() == 1 && semaphore.wait() == 0;
  })) << "the token stays here";
  semaphore.post();
}

sem_t posted_by_handler;

// A handler posts whenever it likes, also in the middle of a wait or a post of the same semaphore.
TEST(SemaphoreTest, PostWorksInASignalHandler) {
  Semaphore& semaphore = as_semaphore(&posted_by_handler);
  semaphore.init(0);
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { as_semaphore(&posted_by_handler).post(); };
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  constexpr int signals = 2000;
  std::atomic<pthread_t> target{pthread_self()};
  std::thread sender([&] {
    for (int i = 0; i < signals; ++i) pthread_kill(target, SIGUSR1);
    // Signals that were still pending are one: tell the waiter that it is over.
    for (int i = 0; i < signals; ++i) semaphore.post();
  });
  for (int i = 0; i < signals; ++i) EXPECT_EQ(semaphore.wait_until(in(1h)), 0);
  sender.join();
  EXPECT_LE(semaphore.value(), static_cast<unsigned>(signals));
  sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace weft::sync
