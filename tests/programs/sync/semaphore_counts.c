// SPDX-License-Identifier: Apache-2.0
// A semaphore lets through exactly what is posted, by waits, tries and its value.

#include "support.h"

#include <limits.h>

static sem_t semaphore;

static void* wait_once(void* argument) {
  OK(sem_wait(&semaphore));
  return argument;
}

int main(void) {
  OK(sem_init(&semaphore, 0, 2));
  int value;
  OK(sem_wait(&semaphore));
  OK(sem_trywait(&semaphore));
  int result = sem_trywait(&semaphore);
  say("third: %d %s\n", result, error_name(errno));
  pthread_t threads[10];
  for (int i = 0; i < 10; ++i) threads[i] = start(wait_once, NULL);
  for (int i = 0; i < 13; ++i) OK(sem_post(&semaphore));
  for (int i = 0; i < 10; ++i) join(threads[i]);
  OK(sem_getvalue(&semaphore, &value));
  say("left: %d\n", value);
  OK(sem_destroy(&semaphore));
  result = sem_init(&semaphore, 0, (unsigned)SEM_VALUE_MAX + 1U);
  say("too large: %d %s\n", result, error_name(errno));
  OK(sem_init(&semaphore, 0, SEM_VALUE_MAX));
  result = sem_post(&semaphore);
  say("overflow: %d %s\n", result, error_name(errno));
  return 0;
}
