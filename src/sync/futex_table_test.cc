// SPDX-License-Identifier: Apache-2.0
// The futex table answers as the kernel does.
#include "sync/futex_table.h"

#include <gtest/gtest.h>
#include <linux/futex.h>

#include <cerrno>
#include <climits>
#include <deque>

#include "sync/test_threads.h"

namespace weft::sync::futex_table {
namespace {

using sync::testing::in;
using sync::testing::invalid_deadline;
using sync::testing::run_together;
using sync::testing::TestThread;
using namespace std::chrono_literals;

// Threads that wait for a word, in this order.
class Waiting {
 public:
  Waiting(const Word& word, int threads, std::uint32_t bits = any_bit) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([&word, bits, this] {
        if (wait(word, word.load(), bits) == 0) ++woken_;
      });
      threads_.back().wait_until_parked(&word);
    }
  }
  int woken() const { return woken_.load(); }
  void join() {
    for (TestThread& thread : threads_) thread.join();
  }

 private:
  std::atomic<int> woken_{0};
  std::deque<TestThread> threads_;
};

TEST(FutexTableTest, WaitsOnlyForTheValue) {
  Word word{1};
  EXPECT_EQ(wait(word, 2), EAGAIN);
  EXPECT_EQ(wait(word, 1, 0), EINVAL);
  EXPECT_EQ(wait(word, 1, any_bit, invalid_deadline()), EINVAL);
  for (const auto clock : sync::testing::both_clocks) {
    EXPECT_EQ(wait(word, 1, any_bit, in(-1s, clock)), ETIMEDOUT);
    EXPECT_EQ(wait(word, 1, any_bit, in(3ms, clock)), ETIMEDOUT);
  }
  EXPECT_EQ(wake(word, 1), 0) << "nobody is left";
}

TEST(FutexTableTest, WakesSoMany) {
  Word word{0};
  Waiting waiting(word, 4);
  EXPECT_EQ(wake(word, 2), 2);
  EXPECT_EQ(wake(word, 0), 1) << "as the kernel does";
  EXPECT_EQ(wake(word, INT_MAX), 1);
  waiting.join();
  EXPECT_EQ(waiting.woken(), 4);
}

TEST(FutexTableTest, WakesByBits) {
  Word word{0};
  Waiting one(word, 2, 1);
  Waiting two(word, 1, 2);
  EXPECT_EQ(wake(word, INT_MAX, 4), 0);
  EXPECT_EQ(wake(word, INT_MAX, 2), 1);
  two.join();
  EXPECT_EQ(wake(word, INT_MAX, 3), 2);
}

TEST(FutexTableTest, Requeues) {
  Word word{5};
  Word target{0};
  const std::uint32_t other = 6;
  const std::uint32_t same = 5;
  Waiting waiting(word, 4);
  EXPECT_EQ(requeue(word, 1, target, 1, &other), -EAGAIN);
  EXPECT_EQ(requeue(word, 1, target, 2, &same), 3);
  EXPECT_EQ(wake(word, INT_MAX), 1);
  EXPECT_EQ(wake(target, INT_MAX), 2);
  waiting.join();
  EXPECT_EQ(requeue(word, 1, target, 1), 0);
}

TEST(FutexTableTest, ARequeuedWaiterGivesUpInItsNewBucket) {
  std::vector<Word> words(300);  // some share a bucket, some do not
  Word& word = words.front();
  for (std::size_t i = 1; i < words.size(); i += 50) {
    TestThread waiter([&] { EXPECT_EQ(wait(word, 0, any_bit, in(30ms)), ETIMEDOUT); });
    waiter.wait_until_parked(&word);
    requeue(word, 0, words[i], 1);
    waiter.join();
    EXPECT_EQ(wake(words[i], 1), 0);
  }
}

TEST(FutexTableTest, WakesByAnOperation) {
  Word first{0};
  Word second{7};
  Waiting on_first(first, 1);
  Waiting on_second(second, 1);
  EXPECT_EQ(wake_operation(first, 1, second, 1, FUTEX_OP(7U, 0, FUTEX_OP_CMP_EQ, 0)), -ENOSYS);
  EXPECT_EQ(wake_operation(first, 1, second, 1, FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 8)), 1);
  EXPECT_EQ(second.load(), 10U);
  EXPECT_EQ(wake_operation(first, 1, second, 1, FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_GE, 10)), 1);
  EXPECT_EQ(second.load(), 1U);
}

TEST(FutexTableTest, OperationsAreTheKernels) {
  Word unused{0};
  Word word{6};
  const auto perform = [&](std::uint32_t operation, std::uint32_t operand) {
    const std::uint32_t encoded = operation << 28U | operand << 12U;
    return wake_operation(unused, 1, word, 1, encoded);
  };
  EXPECT_EQ(perform(FUTEX_OP_OR, 1), 0);
  EXPECT_EQ(word.load(), 7U);
  EXPECT_EQ(perform(FUTEX_OP_ANDN, 2), 0);
  EXPECT_EQ(word.load(), 5U);
  EXPECT_EQ(perform(FUTEX_OP_XOR, 4), 0);
  EXPECT_EQ(word.load(), 1U);
  EXPECT_EQ(perform(FUTEX_OP_ADD, 0xFFF), 0) << "minus one";
  EXPECT_EQ(word.load(), 0U);
  EXPECT_EQ(perform(FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT, 31), 0);
  EXPECT_EQ(word.load(), 1U << 31U);
}

TEST(FutexTableTest, AForkLeavesItsWaitersBehind) {
  Word word{0};
  Waiting waiting(word, 2);
  EXPECT_TRUE(sync::testing::holds_in_child([&] { return wake(word, 1) == 0; }));
  EXPECT_EQ(wake(word, 2), 2);
}

// A lock of three states, as many programs build it on the futex.
TEST(FutexTableTest, NoWakeUpIsLost) {
  Word word{0};
  int counter = 0;
  run_together(4, [&](int) {
    for (int i = 0; i < 10'000; ++i) {
      std::uint32_t expected = 0;
      if (!word.compare_exchange_strong(expected, 1)) {
        while (word.exchange(2) != 0) wait(word, 2);
      }
      ++counter;
      if (word.exchange(0) == 2) wake(word, 1);
    }
  });
  EXPECT_EQ(counter, 40'000);
}

}  // namespace
}  // namespace weft::sync::futex_table
