// SPDX-License-Identifier: Apache-2.0
// thread_local objects are constructed at first use and destroyed in reverse order at the thread's
// end.

#include "support.h"

#include <thread>

struct Noisy {
  const char* name;
  explicit Noisy(const char* the_name) : name(the_name) { say("make %s\n", name); }
  ~Noisy() {
    sleep_ms(1);
    say("destroy %s\n", name);
  }
};

static thread_local Noisy first("first");
static thread_local Noisy second("second");

static void use() {
  static thread_local Noisy local("local");
  sleep_ms(1);
  CHECK(first.name != nullptr && second.name != nullptr && local.name != nullptr);
}

int main() {
  std::thread(use).join();
  say("joined\n");
  std::thread([] { pthread_exit(nullptr); }).join();
  use();
  say("main ends\n");
}
