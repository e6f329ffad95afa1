// SPDX-License-Identifier: Apache-2.0
// std::counting_semaphore lets at most its number inside, and times out; binary_semaphore passes a
// turn.

#include "support.h"

#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>
#include <vector>

int main() {
  std::counting_semaphore<3> seats(3);
  std::atomic<int> inside = 0, most = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        seats.acquire();
        int now = ++inside;
        CHECK(now <= 3);
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        sleep_ms(1);
        --inside;
        seats.release();
      }
    });
  }
  threads.clear();
  say("more than none, at most three: %d\n", most >= 1 && most <= 3);
  std::binary_semaphore ping(1), pong(0);
  int turns = 0;
  std::jthread other([&] {
    for (int i = 0; i < 500; ++i) {
      pong.acquire();
      ++turns;
      ping.release();
    }
  });
  for (int i = 0; i < 500; ++i) {
    ping.acquire();
    ++turns;
    pong.release();
  }
  other.join();
  say("turns: %d, timed: %d\n", turns, pong.try_acquire_for(std::chrono::milliseconds(10)));
}
