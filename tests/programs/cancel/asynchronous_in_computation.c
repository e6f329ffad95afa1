// SPDX-License-Identifier: Apache-2.0
// A thread with asynchronous cancellation is ended in a loop without any call.

#include "support.h"

#include <stdatomic.h>

static atomic_int begun;

static void* compute(void* argument) {
  int old;
  OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
  CHECK(old == PTHREAD_CANCEL_DEFERRED);
  atomic_store(&begun, 1);
  for (;;) __asm__ volatile("" : : : "memory");
  return argument;
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    atomic_store(&begun, 0);
    pthread_t thread = start(compute, NULL);
    WAIT_FOR(atomic_load(&begun));
    OK(pthread_cancel(thread));
    say("cancelled: %d\n", join(thread) == PTHREAD_CANCELED);
  }
  return 0;
}
