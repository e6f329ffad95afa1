// SPDX-License-Identifier: Apache-2.0
// A robust mutex whose owner ended is given to the next with EOWNERDEAD, made consistent, and used
// on.

#include "support.h"

static pthread_mutex_t lock;

static void* die_holding(void* argument) {
  OK(pthread_mutex_lock(&lock));
  sleep_ms(5);
  return argument;
}

int main(void) {
  pthread_mutexattr_t attributes;
  OK(pthread_mutexattr_init(&attributes));
  OK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
  OK(pthread_mutex_init(&lock, &attributes));
  join(start(die_holding, NULL));
  say("lock: %s\n", error_name(pthread_mutex_lock(&lock)));
  OK(pthread_mutex_consistent(&lock));
  OK(pthread_mutex_unlock(&lock));
  say("again: %s\n", error_name(pthread_mutex_lock(&lock)));
  say("consistent without need: %s\n", error_name(pthread_mutex_consistent(&lock)));
  OK(pthread_mutex_unlock(&lock));
  join(start(die_holding, NULL));
  say("try: %s\n", error_name(pthread_mutex_trylock(&lock)));
  OK(pthread_mutex_unlock(&lock));
  say("not made consistent: %s\n", error_name(pthread_mutex_lock(&lock)));
  OK(pthread_mutex_destroy(&lock));
  return 0;
}
