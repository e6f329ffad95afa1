// SPDX-License-Identifier: Apache-2.0
// A computing thread that calls pthread_testcancel ends there, and pthread_testcancel alone does
// nothing.

#include "support.h"

#include <stdatomic.h>

static atomic_long steps;

static void* compute(void* argument) {
  for (;;) {
    atomic_fetch_add(&steps, 1);
    pthread_testcancel();
  }
  return argument;
}

int main(void) {
  pthread_testcancel();
  pthread_t thread = start(compute, NULL);
  WAIT_FOR(atomic_load(&steps) > 1000);
  OK(pthread_cancel(thread));
  say("cancelled: %d\n", join(thread) == PTHREAD_CANCELED);
  return 0;
}
