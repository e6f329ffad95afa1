// SPDX-License-Identifier: Apache-2.0
// std::atomic::wait returns after a change and a notification, for integers of every size and for
// flags.

#include "support.h"

#include <atomic>
#include <thread>
#include <vector>

template <typename Number>
static void play(const char* name) {
  std::atomic<Number> turn = 0;
  std::thread other([&] {
    for (int i = 0; i < 300; ++i) {
      turn.wait(0);
      turn = 0;
      turn.notify_one();
    }
  });
  for (int i = 0; i < 300; ++i) {
    turn = 1;
    turn.notify_one();
    turn.wait(1);
  }
  other.join();
  say("%s: %d\n", name, static_cast<int>(turn.load()));
}

int main() {
  play<char>("char");
  play<int>("int");
  play<long>("long");
  std::atomic_flag go;
  std::atomic<int> through = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&] {
      go.wait(false);
      ++through;
    });
  }
  sleep_ms(5);
  say("through: %d\n", through.load());
  go.test_and_set();
  go.notify_all();
  for (auto& thread : threads) thread.join();
  say("through: %d\n", through.load());
}
