// SPDX-License-Identifier: Apache-2.0
// Threads with the smallest stack allowed can wait, lock and end.

#include "support.h"

#include <limits.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t go;
static int count;

static void* work(void* argument) {
  sem_wait(&go);
  pthread_mutex_lock(&lock);
  ++count;
  pthread_mutex_unlock(&lock);
  usleep(1000);
  return argument;
}

int main(void) {
  OK(sem_init(&go, 0, 0));
  pthread_attr_t attributes;
  OK(pthread_attr_init(&attributes));
  OK(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN));
  pthread_t threads[16];
  for (int i = 0; i < 16; ++i) OK(pthread_create(&threads[i], &attributes, work, NULL));
  for (int i = 0; i < 16; ++i) sem_post(&go);
  for (int i = 0; i < 16; ++i) join(threads[i]);
  say("count: %d\n", count);
  return 0;
}
