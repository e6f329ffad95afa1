// SPDX-License-Identifier: Apache-2.0
// A stream locked by flockfile stays with its thread across waits; others that print wait for it.

#include "support.h"

#include <stdatomic.h>

static atomic_int held;

static void* hold(void* argument) {
  flockfile(stdout);
  atomic_store(&held, 1);
  for (int i = 0; i < 5; ++i) {
    printf("held %d\n", i);
    sleep_ms(10);
  }
  funlockfile(stdout);
  return argument;
}

static void* print(void* argument) {
  WAIT_FOR(atomic_load(&held));
  printf("other\n");
  return argument;
}

int main(void) {
  pthread_t threads[4] = {start(hold, NULL), start(print, NULL), start(print, NULL),
                          start(print, NULL)};
  for (int i = 0; i < 4; ++i) join(threads[i]);
  return 0;
}
