// SPDX-License-Identifier: Apache-2.0
// weft::atomic outside of a model run: the same test for each variant, which both are std::atomic.
#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/atomic.h"

namespace weft {
namespace {

enum class Colour : std::uint8_t { red, green };
struct alignas(8) Pair {
  std::uint32_t first;
  std::uint32_t second;
};

static_assert(std::is_same_v<atomic<int>, base::atomic<int>>);
static_assert(sizeof(atomic<char>) == 1 && sizeof(atomic<Colour>) == 1);
static_assert(sizeof(atomic<int>) == sizeof(int) && alignof(atomic<int>) == alignof(int));
static_assert(sizeof(atomic<Pair>) == sizeof(Pair));
static_assert(std::is_standard_layout_v<atomic<int*>>);
static_assert(!std::is_copy_constructible_v<atomic<int>>);
static_assert(atomic<int>::is_always_lock_free);
constinit atomic<int> initialised_before_any_code{7};

TEST(Atomic, CountsAsIntegersDo) {
  EXPECT_EQ(initialised_before_any_code.load(), 7);
  atomic<std::uint8_t> number;
  EXPECT_EQ(number.load(), 0);
  number = 250;
  EXPECT_EQ(number.fetch_add(10), 250);
  EXPECT_EQ(number.load(std::memory_order_relaxed), 4);
  EXPECT_EQ(number.fetch_sub(5, std::memory_order_release), 4);
  EXPECT_EQ(number--, 255);
  EXPECT_EQ(--number, 253);
  EXPECT_EQ(number++, 253);
  EXPECT_EQ(++number, 255);
  EXPECT_EQ(number &= 0x0f, 0x0f);
  EXPECT_EQ(number |= 0xf0, 0xff);
  EXPECT_EQ(number ^= 0x81, 0x7e);
  EXPECT_EQ(number.fetch_and(0x70), 0x7e);
  EXPECT_EQ(number.fetch_or(1), 0x70);
  EXPECT_EQ(number.fetch_xor(1), 0x71);
  EXPECT_EQ(number += 2, 0x72);
  EXPECT_EQ(number -= 1, 0x71);
  EXPECT_EQ(number.exchange(3, std::memory_order_acquire), 0x71);
  EXPECT_EQ(static_cast<int>(number), 3);
}

TEST(Atomic, ExchangesOnlyWhatIsExpected) {
  atomic<Colour> colour{Colour::red};
  Colour expected = Colour::green;
  EXPECT_FALSE(colour.compare_exchange_strong(expected, Colour::green));
  EXPECT_EQ(expected, Colour::red);
  EXPECT_TRUE(colour.compare_exchange_strong(expected, Colour::green, std::memory_order_acq_rel,
                                             std::memory_order_relaxed));
  EXPECT_EQ(colour.load(), Colour::green);
  while (!colour.compare_exchange_weak(expected, Colour::red)) continue;
  EXPECT_EQ(colour.load(), Colour::red);
}

TEST(Atomic, HoldsPointersAndPairs) {
  int numbers[4] = {0, 1, 2, 3};
  atomic<int*> pointer{numbers};
  EXPECT_EQ(pointer.fetch_add(2), numbers);
  EXPECT_EQ(*pointer.load(), 2);
  EXPECT_EQ(++pointer, numbers + 3);
  EXPECT_EQ(pointer -= 3, numbers);

  atomic<Pair> pair{Pair{1, 2}};
  pair.store({3, 4}, std::memory_order_release);
  EXPECT_EQ(pair.load(std::memory_order_acquire).second, 4U);
  EXPECT_EQ(pair.exchange({5, 6}).first, 3U);
}

TEST(Atomic, IsAtomicBetweenKernelThreads) {
  atomic<int> count{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 10'000; ++round) count.fetch_add(1, std::memory_order_relaxed);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count.load(), 40'000);
}

TEST(Atomic, WaitsForAnotherKernelThread) {
  atomic<int> ball{0};
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) {
      ball.wait(0);
      ball.store(0, std::memory_order_release);
      ball.notify_one();
    }
  });
  for (int i = 0; i < 1000; ++i) {
    ball.store(1);
    ball.notify_all();
    ball.wait(1);
  }
  other.join();
  EXPECT_EQ(ball.load(), 0);
}

TEST(Atomic, FencesOrderWhatIsRelaxed) {
  atomic<bool> ready{false};
  int message = 0;
  std::thread sender([&] {
    message = 42;
    base::atomic_thread_fence(std::memory_order_release);
    ready.store(true, std::memory_order_relaxed);
  });
  while (!ready.load(std::memory_order_relaxed)) base::yield();
  base::atomic_thread_fence(std::memory_order_acquire);
  EXPECT_EQ(message, 42);
  sender.join();
}

}  // namespace
}  // namespace weft
