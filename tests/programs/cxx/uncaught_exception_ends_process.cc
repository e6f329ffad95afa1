// SPDX-License-Identifier: Apache-2.0
// An exception that leaves a thread's function calls terminate: SIGABRT, with libstdc++'s message.
// exits: SIGABRT

#include "support.h"

#include <stdexcept>
#include <thread>

int main() {
  say("before\n");
  std::thread thread([] {
    sleep_ms(2);
    throw std::runtime_error("nobody catches this");
  });
  thread.join();
}
