// SPDX-License-Identifier: Apache-2.0
// Who waits for the last line.
#include "serve/line_count.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace weft::serve {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

TEST(LineCountTest, ThereIsNothingToWaitForWhereThereIsNone) {
  LineCount lines;
  EXPECT_TRUE(lines.wait_until(steady_clock::now()));
  lines.begins();
  EXPECT_FALSE(lines.wait_until(steady_clock::now() + 10ms));
  lines.ends();
  EXPECT_TRUE(lines.wait_until(steady_clock::now()));
}

TEST(LineCountTest, TheLastOneIsWaitedForAndNotTheFirst) {
  constexpr int lines_in_all = 8;
  LineCount lines;
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  for (int i = 0; i < lines_in_all; ++i) {
    lines.begins();
    threads.emplace_back([&, i] {
      std::this_thread::sleep_for(std::chrono::milliseconds{i});
      ended.fetch_add(1);
      lines.ends();
    });
  }
  EXPECT_TRUE(lines.wait_until(steady_clock::time_point::max()));
  EXPECT_EQ(ended, lines_in_all);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace weft::serve
