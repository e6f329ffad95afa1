// SPDX-License-Identifier: Apache-2.0
// Barriers between threads: rounds, errors, and who may free them.
#include "sync/barrier.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "sync/test_threads.h"

namespace weft::sync {
namespace {

using testing::run_together;
using testing::TestThread;

TEST(BarrierTest, WantsAtLeastOneThread) {
  pthread_barrier_t object;
  std::memset(&object, 0xA5, sizeof object);
  Barrier& barrier = as_barrier(&object);
  EXPECT_EQ(barrier.init(0), EINVAL);
  EXPECT_EQ(barrier.init(~0U), EINVAL);
  EXPECT_EQ(barrier.init(1), 0);
  EXPECT_TRUE(barrier.is_ours());
  EXPECT_EQ(barrier.wait(), PTHREAD_BARRIER_SERIAL_THREAD);
  EXPECT_EQ(barrier.wait(), PTHREAD_BARRIER_SERIAL_THREAD);
  EXPECT_EQ(barrier.destroy(), 0);
}

TEST(BarrierTest, HasTheLayoutOfLibc) {
  pthread_barrier_t object;
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  ASSERT_EQ(pthread_barrier_init(&object, &attributes, 2), 0);
  EXPECT_TRUE(as_barrier(&object).is_ours());
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  ASSERT_EQ(pthread_barrier_init(&object, &attributes, 2), 0);
  EXPECT_FALSE(as_barrier(&object).is_ours());
}

TEST(BarrierTest, IsBusyWhileSomebodyWaits) {
  pthread_barrier_t object;
  Barrier& barrier = as_barrier(&object);
  barrier.init(2);
  TestThread waiter([&] { barrier.wait(); });
  waiter.wait_until_parked(&object);
  EXPECT_EQ(barrier.destroy(), EBUSY);
  barrier.wait();
}

TEST(BarrierTest, OneOfEachRoundIsSpecial) {
  pthread_barrier_t object;
  Barrier& barrier = as_barrier(&object);
  constexpr int threads = 4;
  constexpr int rounds = 1000;
  barrier.init(threads);
  std::vector<int> arrived(rounds);  // guarded by the barrier: all write, then all read
  std::vector<std::atomic<int>> here(rounds);
  std::atomic<int> special{0};
  run_together(threads, [&](int thread) {
    for (int round = 0; round < rounds; ++round) {
      if (thread == round % threads) arrived[static_cast<std::size_t>(round)] = thread;
      ++here[static_cast<std::size_t>(round)];
      const int result = barrier.wait();
      if (result == PTHREAD_BARRIER_SERIAL_THREAD) ++special;
      EXPECT_TRUE(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
      EXPECT_EQ(here[static_cast<std::size_t>(round)].load(), threads);
      EXPECT_EQ(arrived[static_cast<std::size_t>(round)], round % threads);
    }
  });
  EXPECT_EQ(special.load(), rounds);
  EXPECT_EQ(barrier.destroy(), 0);
}

// The first to come back frees the barrier while others are still inside.
TEST(BarrierTest, MayBeFreedByWhoReturns) {
  for (int round = 0; round < 500; ++round) {
    auto* const object = new pthread_barrier_t;
    as_barrier(object).init(3);
    std::atomic<int> returned{0};
    run_together(3, [&](int) {
      as_barrier(object).wait();
      if (returned.fetch_add(1) != 0) return;
      EXPECT_EQ(as_barrier(object).destroy(), 0);
      std::memset(object, 0xEE, sizeof(pthread_barrier_t));
      delete object;
    });
  }
}

}  // namespace
}  // namespace weft::sync
