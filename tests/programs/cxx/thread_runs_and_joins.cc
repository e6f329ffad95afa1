// SPDX-License-Identifier: Apache-2.0
// std::thread passes arguments, moves, joins, and throws system_error where it cannot join.

#include "support.h"

#include <functional>
#include <system_error>
#include <thread>
#include <vector>

static void add(long& sum, int value) {
  sum += value;
}

int main() {
  long sum = 0;
  std::thread first(add, std::ref(sum), 5);
  std::thread moved = std::move(first);
  say("joinable: %d %d\n", first.joinable(), moved.joinable());
  CHECK(moved.get_id() != std::this_thread::get_id());
  moved.join();
  std::vector<std::thread> threads;
  long sums[10] = {};
  for (int i = 0; i < 10; ++i) threads.emplace_back(add, std::ref(sums[i]), i);
  for (auto& thread : threads) thread.join();
  for (long one : sums) sum += one;
  say("sum: %ld\n", sum);
  try {
    moved.join();
  } catch (const std::system_error& error) {
    say("join again: %s\n", error_name(error.code().value()));
  }
  say("some CPUs: %d\n", std::thread::hardware_concurrency() > 0);
}
