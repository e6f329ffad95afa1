// SPDX-License-Identifier: Apache-2.0
// std::async runs at once or when asked, gives its result or exception, and tells when it is not
// ready.

#include "support.h"

#include <chrono>
#include <future>
#include <stdexcept>
#include <vector>

using std::chrono::milliseconds;

int main() {
  std::vector<std::future<int>> futures;
  for (int i = 0; i < 20; ++i) {
    futures.push_back(std::async(std::launch::async, [i] {
      sleep_ms(i % 3);
      return i * i;
    }));
  }
  int sum = 0;
  for (auto& future : futures) sum += future.get();
  say("sum: %d\n", sum);

  auto deferred = std::async(std::launch::deferred, [] { return gettid(); });
  say("deferred: %d\n", deferred.wait_for(milliseconds(0)) == std::future_status::deferred);
  say("in this thread: %d\n", deferred.get() == gettid());

  auto failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
  try {
    failing.get();
  } catch (const std::runtime_error& error) {
    say("threw: %s\n", error.what());
  }
  std::promise<void> gate;
  auto waiting = std::async(std::launch::async, [&] { gate.get_future().wait(); });
  say("timeout: %d\n", waiting.wait_for(milliseconds(10)) == std::future_status::timeout);
  gate.set_value();
  waiting.get();
  say("done\n");
}
