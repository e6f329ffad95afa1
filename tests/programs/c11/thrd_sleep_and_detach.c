// SPDX-License-Identifier: Apache-2.0
// thrd_sleep lasts at least its time in a detached thread, and is cut short only by a signal.

#include "support.h"

#include <stdatomic.h>
#include <threads.h>

static atomic_int finished;

static int sleep_a_little(void* argument) {
  (void)argument;
  struct timespec until = after_ms(CLOCK_MONOTONIC, 30), duration = {0, 30000000};
  CHECK(thrd_sleep(&duration, NULL) == 0);
  CHECK(is_past(CLOCK_MONOTONIC, until));
  atomic_store(&finished, 1);
  return 0;
}

int main(void) {
  thrd_t thread;
  CHECK(thrd_create(&thread, sleep_a_little, NULL) == thrd_success);
  CHECK(thrd_detach(thread) == thrd_success);
  WAIT_FOR(atomic_load(&finished));
  struct timespec bad = {0, -1};
  say("bad duration: %s\n", thrd_sleep(&bad, NULL) < -1 ? "refused" : "taken");
  return 0;
}
