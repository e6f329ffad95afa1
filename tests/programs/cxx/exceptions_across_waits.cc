// SPDX-License-Identifier: Apache-2.0
// Exceptions being handled stay with their thread across waits: nested, rethrown, and counted.

#include "support.h"

#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Unwinding {
  int expected;
  ~Unwinding() {
    sleep_ms(1);
    CHECK(std::uncaught_exceptions() == expected);
  }
};

static void run(int number) {
  for (int round = 0; round < 5; ++round) {
    std::string text = std::to_string(number) + "/" + std::to_string(round);
    try {
      Unwinding outer{1};
      throw std::runtime_error(text);
    } catch (const std::exception& first) {
      sleep_ms(1);
      try {
        Unwinding inner{1};
        throw std::logic_error(text + " inner");
      } catch (const std::logic_error& second) {
        sleep_ms(1);
        CHECK(text + " inner" == second.what());
      }
      CHECK(text == first.what() && std::uncaught_exceptions() == 0);
      try {
        throw;
      } catch (const std::runtime_error& again) {
        sleep_ms(1);
        CHECK(text == again.what());
      }
    }
    CHECK(std::current_exception() == nullptr);
  }
}

int main() {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 10; ++i) threads.emplace_back(run, i);
  threads.clear();
  say("each caught its own\n");
}
