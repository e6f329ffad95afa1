// SPDX-License-Identifier: Apache-2.0
// std::latch opens once for all, and std::barrier runs its completion once in each phase.

#include "support.h"

#include <atomic>
#include <barrier>
#include <latch>
#include <thread>
#include <vector>

int main() {
  std::latch ready(8), go(1);
  std::atomic<int> passed = 0;
  int phases = 0;
  auto complete = [&]() noexcept { ++phases; };
  std::barrier barrier(8, complete);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      ready.count_down();
      go.wait();
      ++passed;
      for (int round = 0; round < 50 - i; ++round) {
        barrier.arrive_and_wait();
        CHECK(phases > round);
      }
      barrier.arrive_and_drop();
    });
  }
  ready.wait();
  say("ready, passed: %d\n", passed.load());
  go.count_down();
  threads.clear();
  say("passed: %d, phases: %d\n", passed.load(), phases);
}
