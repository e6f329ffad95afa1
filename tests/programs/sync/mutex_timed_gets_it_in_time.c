// SPDX-License-Identifier: Apache-2.0
// A timed lock whose mutex is released before its time gets it.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int owner_done;

static void* wait_for_it(void* argument) {
  struct timespec until = after_ms(CLOCK_MONOTONIC, 25000);
  OK(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &until));
  CHECK(owner_done == 1);
  OK(pthread_mutex_unlock(&lock));
  return argument;
}

int main(void) {
  OK(pthread_mutex_lock(&lock));
  pthread_t threads[5];
  for (int i = 0; i < 5; ++i) threads[i] = start(wait_for_it, NULL);
  sleep_ms(30);
  owner_done = 1;
  OK(pthread_mutex_unlock(&lock));
  for (int i = 0; i < 5; ++i) join(threads[i]);
  say("all five had it in time\n");
  return 0;
}
