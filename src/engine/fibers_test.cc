// SPDX-License-Identifier: Apache-2.0
// What fibers take along, and what lets them go.
#include <weft/cancel_wait.h>
#include <weft/context.h>
#include <weft/fiber_sync.h>
#include <weft/fibers.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

namespace weft {
namespace {

using namespace std::chrono_literals;

constexpr Ambient<int> number("number");

TEST(Fibers, HaveTheContextOfWhoSpawnsThemAndKeepIt) {
  Fibers fibers({.workers = 2});
  std::atomic<int> wrong{0};
  std::vector<Fiber> all;
  for (int i = 0; i < 100; ++i) {
    const auto guard = number.set(i);
    all.push_back(fibers.spawn([&, i] {
      for (int round = 0; round < 50; ++round) {
        if (number.value_or(-1) != i) ++wrong;
        const auto own = number.set(1000 + i);
        round % 10 == 0 ? this_fiber::sleep_for(10us) : this_fiber::yield();
        if (number.value_or(-1) != 1000 + i) ++wrong;
      }
    }));
  }
  for (Fiber& each : all) each.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(number.get(), nullptr);
}

TEST(Fibers, WakeWhenTheyAreCancelled) {
  Fibers fibers({.workers = 2});
  CancelSource source;
  std::atomic<int> slept{0};
  std::atomic<int> begun{0};
  std::vector<Fiber> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(fibers.spawn([&] {
      ++begun;
      if (this_fiber::sleep_for(1h, source.token())) ++slept;
    }));
  }
  while (begun != 20) this_fiber::sleep_for(100us);
  source.cancel(CancelReason::client);
  for (Fiber& each : all) each.join();
  EXPECT_EQ(slept, 0);
}

TEST(Fibers, SleepTheirTimeWhereNobodyCancelsThem) {
  Fibers fibers({.workers = 1});
  const CancelSource source;
  bool slept = false;
  const auto begin = std::chrono::steady_clock::now();
  fibers.spawn([&] { slept = this_fiber::sleep_for(2ms, source.token()); }).join();
  EXPECT_TRUE(slept);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
}

// Deadlines fire while fibers come to wait and leave: on a thread that is no fiber.
TEST(Fibers, WaitForAConditionUntilTheirDeadline) {
  Fibers fibers({.workers = 2});
  FiberMutex mutex;
  FiberCondition changed;
  int tokens = 0;  // guarded by mutex
  std::atomic<int> taken{0};
  std::atomic<int> gave_up{0};
  std::vector<Fiber> all;
  for (int i = 0; i < 50; ++i) {
    all.push_back(fibers.spawn([&, i] {
      for (int round = 0; round < 40; ++round) {
        const CancelScope scope(std::chrono::steady_clock::now() +
                                std::chrono::microseconds((round * 7 + i) % 300));
        std::unique_lock lock(mutex);
        if (wait(changed, lock, cancellation(), [&] { return tokens > 0; })) {
          --tokens;
          ++taken;
        } else {
          ++gave_up;
        }
        if (round % 2 == 0) {
          ++tokens;
          changed.notify_one();
        }
      }
    }));
  }
  for (Fiber& each : all) each.join();
  EXPECT_EQ(taken + gave_up, 50 * 40);
  EXPECT_EQ(taken + tokens, 50 * 20);
}

}  // namespace
}  // namespace weft
