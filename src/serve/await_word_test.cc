// SPDX-License-Identifier: Apache-2.0
// Who waits is told to end, unless something has come.
#include "serve/await_word.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace weft::serve {
namespace {

constexpr auto nothing_has_come = [] { return true; };

TEST(AwaitWordTest, OnlyWhoAwaitsItIsTold) {
  AwaitWord word;
  EXPECT_FALSE(word.try_end(Awaits::request, nothing_has_come));
  word.begin(Awaits::handshake);
  EXPECT_FALSE(word.try_end(Awaits::request, nothing_has_come));
  EXPECT_TRUE(word.end());
  word.begin(Awaits::request);
  EXPECT_TRUE(word.try_end(Awaits::request, nothing_has_come));
  EXPECT_FALSE(word.try_end(Awaits::request, nothing_has_come)) << "once is enough";
  EXPECT_FALSE(word.end());
  word.begin(Awaits::nothing);
  EXPECT_TRUE(word.end()) << "the next wait is another";
}

TEST(AwaitWordTest, WhereSomethingHasComeNobodyIsTold) {
  AwaitWord word;
  word.begin(Awaits::request);
  EXPECT_FALSE(word.try_end(Awaits::request, [] { return false; }));
  EXPECT_TRUE(word.end());
}

// Nothing is left to read because the line has begun to.
TEST(AwaitWordTest, WhoHasTakenWhatCameIsNotTold) {
  AwaitWord word;
  word.begin(Awaits::request);
  EXPECT_FALSE(word.try_end(Awaits::request, [&] {
    EXPECT_TRUE(word.end());
    return true;
  }));
}

// The same with threads.
TEST(AwaitWordTest, NobodyIsToldWhoHasTakenSomething) {
  for (int round = 0; round < 2000; ++round) {
    AwaitWord word;
    std::atomic<int> bytes{0};
    bool has_taken = false, is_told = false;
    word.begin(Awaits::request);
    std::thread line([&] {
      while (bytes.load() == 0) std::this_thread::yield();
      has_taken = word.end();
      if (has_taken) bytes.store(0);
    });
    std::thread ending(
        [&] { is_told = word.try_end(Awaits::request, [&] { return bytes.load() == 0; }); });
    bytes.store(1);
    line.join();
    ending.join();
    ASSERT_FALSE(is_told && has_taken);
  }
}

}  // namespace
}  // namespace weft::serve
