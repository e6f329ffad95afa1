// SPDX-License-Identifier: Apache-2.0
// Statically initialised locks work, and threads can be made and joined, in a constructor before
// main.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void* set(void* argument) {
  pthread_mutex_lock(&lock);
  value = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return argument;
}

__attribute__((constructor)) static void before_main(void) {
  OK(pthread_rwlock_wrlock(&table));
  OK(pthread_mutex_lock(&lock));
  pthread_t thread = start(set, NULL);
  while (value == 0) OK(pthread_cond_wait(&changed, &lock));
  OK(pthread_mutex_unlock(&lock));
  OK(pthread_rwlock_unlock(&table));
  join(thread);
  say("before main: %d\n", value);
}

__attribute__((destructor)) static void after_main(void) {
  value = 0;
  OK(pthread_mutex_lock(&lock));
  pthread_t thread = start(set, NULL);
  while (value == 0) OK(pthread_cond_wait(&changed, &lock));
  OK(pthread_mutex_unlock(&lock));
  join(thread);
  say("after main: %d\n", value);
}

int main(void) {
  OK(pthread_mutex_trylock(&lock));
  OK(pthread_mutex_unlock(&lock));
  say("main: %d\n", value);
  return 0;
}
