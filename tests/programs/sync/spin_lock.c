// SPDX-License-Identifier: Apache-2.0
// A spin lock excludes, is EBUSY to who tries while it is held, and its holder may sleep.

#include "support.h"

enum { rounds = 2000 };
static pthread_spinlock_t lock;
static long counter;

static void* increment(void* argument) {
  for (int i = 0; i < rounds; ++i) {
    OK(pthread_spin_lock(&lock));
    ++counter;
    if (i % 500 == 0) usleep(500);
    OK(pthread_spin_unlock(&lock));
  }
  return argument;
}
static void* try_it(void* argument) {
  say("try: %s\n", error_name(pthread_spin_trylock(&lock)));
  return argument;
}

int main(void) {
  OK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(increment, NULL);
  for (int i = 0; i < 4; ++i) join(threads[i]);
  say("counter: %ld\n", counter);
  OK(pthread_spin_lock(&lock));
  join(start(try_it, NULL));
  OK(pthread_spin_unlock(&lock));
  OK(pthread_spin_destroy(&lock));
  return 0;
}
