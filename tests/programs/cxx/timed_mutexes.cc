// SPDX-License-Identifier: Apache-2.0
// timed_mutex and recursive_timed_mutex are tried for a time or until one, and std::scoped_lock
// takes several.

#include "support.h"

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::timed_mutex timed;
  std::recursive_timed_mutex recursive;
  timed.lock();
  recursive.lock();
  recursive.lock();
  std::jthread([&] {
    auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    say("until: %d", timed.try_lock_until(until));
    say(" in time %d\n", std::chrono::steady_clock::now() >= until);
    say("for: %d\n", recursive.try_lock_for(std::chrono::milliseconds(5)));
  }).join();
  recursive.unlock();
  recursive.unlock();
  timed.unlock();
  std::mutex locks[3];
  long counter = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 300; ++round) {
        std::scoped_lock held(locks[i % 3], locks[(i + 1) % 3], locks[(i + 2) % 3]);
        ++counter;
      }
    });
  }
  threads.clear();
  say("counter: %ld\n", counter);
}
