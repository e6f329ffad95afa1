// SPDX-License-Identifier: Apache-2.0
// A promise wakes everybody who waits for its shared future, with a value or an exception, or
// breaks.

#include "support.h"

#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

static void wait_many(std::promise<int>& promise, bool fail) {
  std::shared_future<int> shared = promise.get_future().share();
  std::vector<std::thread> threads;
  std::vector<int> results(8, -1);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([shared, &result = results[static_cast<size_t>(i)]] {
      try {
        result = shared.get();
      } catch (const std::logic_error&) {
        result = 1000;
      }
    });
  }
  sleep_ms(5);
  if (fail) {
    promise.set_exception(std::make_exception_ptr(std::logic_error("fails")));
  } else {
    promise.set_value(7);
  }
  int sum = 0;
  for (auto& thread : threads) thread.join();
  for (int result : results) sum += result;
  say("sum: %d\n", sum);
}

int main() {
  std::promise<int> first, second;
  wait_many(first, false);
  wait_many(second, true);
  std::future<int> broken;
  {
    std::promise<int> lost;
    broken = lost.get_future();
  }
  try {
    broken.get();
  } catch (const std::future_error& error) {
    say("broken: %d\n", error.code() == std::future_errc::broken_promise);
  }
  std::promise<void> at_exit;
  auto future = at_exit.get_future();
  std::thread([&] { at_exit.set_value_at_thread_exit(); }).join();
  future.get();
  say("at thread exit\n");
}
