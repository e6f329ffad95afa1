// SPDX-License-Identifier: Apache-2.0
// Destroying a std::thread that is joinable calls the terminate handler in force.
// exits: 6

#include "support.h"

#include <exception>
#include <thread>

int main() {
  std::set_terminate([] {
    say("terminate\n");
    _exit(6);
  });
  {
    std::thread thread([] { sleep_ms(1000); });
  }
}
