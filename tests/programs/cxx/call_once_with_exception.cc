// SPDX-License-Identifier: Apache-2.0
// std::call_once tries again after an exception, also with others waiting, and a static local
// likewise.

#include "support.h"

#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static int attempts;
static int make() {
  sleep_ms(2);
  if (++attempts < 3) throw std::runtime_error("not yet");
  return 42;
}

int main() {
  std::once_flag flag;
  int runs = 0;
  std::vector<std::jthread> threads;
  std::mutex lock;
  int thrown = 0, values = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      try {
        std::call_once(flag, [&] {
          sleep_ms(2);
          if (++runs < 3) throw std::runtime_error("not yet");
        });
      } catch (const std::runtime_error&) {
        std::lock_guard held(lock);
        ++thrown;
      }
      try {
        static int value = make();
        std::lock_guard held(lock);
        values += value == 42;
      } catch (const std::runtime_error&) {
        std::lock_guard held(lock);
        ++thrown;
      }
    });
  }
  threads.clear();
  say("runs: %d, attempts: %d, thrown: %d, values: %d\n", runs, attempts, thrown, values);
}
