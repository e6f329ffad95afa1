// SPDX-License-Identifier: Apache-2.0
// A std::condition_variable wait that is cancelled gives its lock back on the way out.

#include "support.h"

#include <condition_variable>
#include <mutex>

static std::mutex lock;
static std::condition_variable never;
static bool waiting;

static void* run(void* argument) {
  std::unique_lock held(lock);
  waiting = true;
  for (;;) never.wait(held);
  return argument;
}

int main() {
  pthread_t thread = start(run, nullptr);
  for (bool seen = false; !seen; sleep_ms(1)) {
    std::lock_guard held(lock);
    seen = waiting;
  }
  OK(pthread_cancel(thread));
  say("cancelled: %d\n", join(thread) == PTHREAD_CANCELED);
  say("free: %d\n", lock.try_lock());
}
