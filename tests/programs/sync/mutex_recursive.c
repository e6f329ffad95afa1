// SPDX-License-Identifier: Apache-2.0
// A recursive mutex is locked again by its owner, is busy for others until the last unlock, and
// knows its owner.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void* try_it(void* argument) {
  say("other tries: %s, unlocks: %s\n", error_name(pthread_mutex_trylock(&lock)),
      error_name(pthread_mutex_unlock(&lock)));
  return argument;
}
static void* take_it(void* argument) {
  OK(pthread_mutex_lock(&lock));
  OK(pthread_mutex_unlock(&lock));
  say("other has had it\n");
  return argument;
}

int main(void) {
  for (int i = 0; i < 100; ++i) OK(pthread_mutex_lock(&lock));
  OK(pthread_mutex_trylock(&lock));
  join(start(try_it, NULL));
  for (int i = 0; i < 100; ++i) OK(pthread_mutex_unlock(&lock));
  join(start(try_it, NULL));
  sleep_ms(1);
  OK(pthread_mutex_unlock(&lock));
  join(start(take_it, NULL));
  say("one too many: %s\n", error_name(pthread_mutex_unlock(&lock)));
  return 0;
}
