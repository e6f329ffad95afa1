// SPDX-License-Identifier: Apache-2.0
// shared_mutex and shared_timed_mutex are held by readers together, by writers alone, and time
// out.

#include "support.h"

#include <barrier>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

int main() {
  std::shared_mutex lock;
  std::barrier together(6);
  long first = 0, second = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      {
        std::shared_lock held(lock);
        together.arrive_and_wait();  // passes only if all are inside
      }
      for (int round = 0; round < 200; ++round) {
        {
          std::unique_lock held(lock);
          ++first;
          ++second;
        }
        std::shared_lock held(lock);
        CHECK(first == second);
      }
    });
  }
  threads.clear();
  say("written: %ld\n", first);
  std::shared_timed_mutex timed;
  std::shared_lock reading(timed);
  std::jthread([&] {
    std::unique_lock writing(timed, std::chrono::milliseconds(20));
    std::shared_lock reading_too(timed, std::chrono::milliseconds(20));
    say("write %d, read %d\n", writing.owns_lock(), reading_too.owns_lock());
  });
}
