// SPDX-License-Identifier: Apache-2.0
// Trying a held mutex is EBUSY for its owner too, and succeeds again once it is free.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* try_it(void* argument) {
  say("other: %s\n", error_name(pthread_mutex_trylock(&lock)));
  return argument;
}
static void* try_and_release(void* argument) {
  OK(pthread_mutex_trylock(&lock));
  OK(pthread_mutex_unlock(&lock));
  say("other: had it\n");
  return argument;
}

int main(void) {
  OK(pthread_mutex_trylock(&lock));
  say("self: %s\n", error_name(pthread_mutex_trylock(&lock)));
  join(start(try_it, NULL));
  OK(pthread_mutex_unlock(&lock));
  join(start(try_and_release, NULL));
  OK(pthread_mutex_lock(&lock));
  OK(pthread_mutex_unlock(&lock));
  OK(pthread_mutex_destroy(&lock));
  return 0;
}
