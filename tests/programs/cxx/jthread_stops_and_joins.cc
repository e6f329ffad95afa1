// SPDX-License-Identifier: Apache-2.0
// std::jthread asks its thread to stop and joins it at the end of its life, and runs stop
// callbacks.

#include "support.h"

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

int main() {
  std::atomic<int> steps = 0;
  bool stopped = false;
  {
    std::jthread thread([&](std::stop_token token) {
      std::stop_callback tell(token, [] { say("callback\n"); });
      while (!token.stop_requested()) {
        ++steps;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      stopped = true;
    });
    WAIT_FOR(steps > 3);
  }
  say("stopped: %d\n", stopped);
}
