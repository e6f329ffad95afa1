// SPDX-License-Identifier: Apache-2.0
// condition_variable_any wakes for a stop request, a notification or a time, with any lock.

#include "support.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <thread>

int main() {
  std::mutex lock;
  std::condition_variable_any changed;
  bool ready = false;
  {
    std::jthread waiter([&](std::stop_token token) {
      std::unique_lock held(lock);
      bool result = changed.wait(held, token, [&] { return ready; });
      say("stopped: result %d, holds %d\n", result, held.owns_lock());
    });
    sleep_ms(5);
    waiter.request_stop();
  }
  {
    std::jthread waiter([&](std::stop_token token) {
      std::unique_lock held(lock);
      bool result = changed.wait(held, token, [&] { return ready; });
      say("notified: result %d\n", result);
    });
    sleep_ms(5);
    std::lock_guard held(lock);
    ready = true;
    changed.notify_all();
  }
  std::shared_mutex table;
  std::shared_lock shared(table);
  auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  bool result = changed.wait_until(shared, until, [] { return false; });
  say("timed out: result %d, in time %d\n", result, std::chrono::steady_clock::now() >= until);
}
