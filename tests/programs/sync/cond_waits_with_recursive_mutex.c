// SPDX-License-Identifier: Apache-2.0
// A wait on a recursive mutex that is held once releases it and takes it back.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value;

static void* change(void* argument) {
  OK(pthread_mutex_lock(&lock));
  OK(pthread_mutex_lock(&lock));
  value = 1;
  OK(pthread_cond_signal(&changed));
  OK(pthread_mutex_unlock(&lock));
  OK(pthread_mutex_unlock(&lock));
  return argument;
}
static void* try_it(void* argument) {
  say("other: %s\n", error_name(pthread_mutex_trylock(&lock)));
  return argument;
}

int main(void) {
  OK(pthread_mutex_lock(&lock));
  pthread_t thread = start(change, NULL);
  while (value == 0) OK(pthread_cond_wait(&changed, &lock));
  join(start(try_it, NULL));
  OK(pthread_mutex_lock(&lock));
  OK(pthread_mutex_unlock(&lock));
  OK(pthread_mutex_unlock(&lock));
  join(thread);
  say("value: %d, one too many: %s\n", value, error_name(pthread_mutex_unlock(&lock)));
  return 0;
}
