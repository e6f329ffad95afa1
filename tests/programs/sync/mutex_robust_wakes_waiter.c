// SPDX-License-Identifier: Apache-2.0
// A thread that waits for a robust mutex is woken when its owner ends without unlocking.

#include "support.h"

static pthread_mutex_t lock;
static sem_t held;

static void* die_holding(void* argument) {
  OK(pthread_mutex_lock(&lock));
  OK(sem_post(&held));
  sleep_ms(40);
  return argument;
}

static void* wait_for_it(void* argument) {
  int error = pthread_mutex_lock(&lock);
  say("waiter: %s\n", error_name(error));
  OK(pthread_mutex_consistent(&lock));
  OK(pthread_mutex_unlock(&lock));
  return argument;
}

int main(void) {
  OK(sem_init(&held, 0, 0));
  pthread_mutexattr_t attributes;
  OK(pthread_mutexattr_init(&attributes));
  OK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
  OK(pthread_mutex_init(&lock, &attributes));
  pthread_t owner = start(die_holding, NULL);
  OK(sem_wait(&held));
  pthread_t waiter = start(wait_for_it, NULL);
  join(owner);
  join(waiter);
  OK(pthread_mutex_lock(&lock));
  OK(pthread_mutex_unlock(&lock));
  say("free again\n");
  return 0;
}
