// SPDX-License-Identifier: Apache-2.0
// An exception thrown in one thread is caught again in others, through exception_ptr, nested ones
// included.

#include "support.h"

#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::string tell(const std::exception& error) {
  std::string text = error.what();
  try {
    std::rethrow_if_nested(error);
  } catch (const std::exception& inner) {
    text += " <- " + tell(inner);
  }
  return text;
}

int main() {
  std::exception_ptr carried;
  std::jthread([&] {
    try {
      try {
        throw std::runtime_error("inner");
      } catch (...) {
        sleep_ms(1);
        std::throw_with_nested(std::logic_error("outer"));
      }
    } catch (...) {
      carried = std::current_exception();
    }
  }).join();
  std::vector<std::jthread> threads;
  std::mutex lock;
  int same = 0;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      try {
        std::rethrow_exception(carried);
      } catch (const std::logic_error& error) {
        sleep_ms(1);
        std::lock_guard held(lock);
        same += tell(error) == "outer <- inner";
      }
    });
  }
  threads.clear();
  say("same: %d\n", same);
}
