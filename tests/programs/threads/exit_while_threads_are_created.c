// SPDX-License-Identifier: Apache-2.0
// Returning from main while other threads make threads, lock and sleep ends the process cleanly.
// exits: 8

#include "support.h"

#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int made;

static void* nap(void* argument) {
  pthread_mutex_lock(&lock);
  usleep(100);
  pthread_mutex_unlock(&lock);
  return argument;
}
static void* make(void* argument) {
  for (;;) {
    join(start(nap, argument));
    atomic_fetch_add(&made, 1);
  }
  return argument;
}

int main(void) {
  for (int i = 0; i < 4; ++i) start(make, NULL);
  WAIT_FOR(atomic_load(&made) > 20);
  say("main returns\n");
  return 8;
}
