// SPDX-License-Identifier: Apache-2.0
// Follows the budget for as many seconds as the argument says, and tells each change.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <weft/budget_watch.h>

int main(int argc, char** argv) {
  weft::budget::Watch watch;
  const auto subscription = watch.subscribe([](const weft::budget::Budget& budget) {
    std::printf("now %g cores from %s\n", budget.cpu.cores, budget.cpu.source.c_str());
  });
  std::this_thread::sleep_for(std::chrono::seconds(argc > 1 ? std::atoi(argv[1]) : 10));
}
