// SPDX-License-Identifier: Apache-2.0
// std::quick_exit in a thread runs at_quick_exit handlers in reverse order, and no destructors.
// exits: 4

#include "support.h"

#include <cstdlib>
#include <thread>

struct Noisy {
  ~Noisy() { say("never destroyed\n"); }
};
static Noisy noisy;

int main() {
  CHECK(std::at_quick_exit([] { say("first registered\n"); }) == 0);
  CHECK(std::at_quick_exit([] { say("second registered\n"); }) == 0);
  std::thread thread([] {
    sleep_ms(2);
    std::quick_exit(4);
  });
  thread.join();
}
