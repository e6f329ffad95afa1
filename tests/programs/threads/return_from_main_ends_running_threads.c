// SPDX-License-Identifier: Apache-2.0
// Returning from main ends the process though threads still wait in every way, and flushes what
// was printed.
// exits: 5

#include "support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t nothing;
static int ends[2];
static pthread_barrier_t begun;

static void* in_condition(void* argument) {
  pthread_barrier_wait(&begun);
  pthread_mutex_lock(&lock);
  for (;;) pthread_cond_wait(&never, &lock);
  return argument;
}
static void* in_semaphore(void* argument) {
  pthread_barrier_wait(&begun);
  for (;;) sem_wait(&nothing);
  return argument;
}
static void* in_read(void* argument) {
  char byte;
  pthread_barrier_wait(&begun);
  while (read(ends[0], &byte, 1) != 1) {
  }
  return argument;
}
static void* in_sleep(void* argument) {
  pthread_barrier_wait(&begun);
  sleep(1000);
  return argument;
}

int main(void) {
  OK(pipe(ends));
  OK(sem_init(&nothing, 0, 0));
  OK(pthread_barrier_init(&begun, NULL, 5));
  start(in_condition, NULL);
  start(in_semaphore, NULL);
  start(in_read, NULL);
  start(in_sleep, NULL);
  pthread_barrier_wait(&begun);
  printf("main returns");  // left in the buffer
  return 5;
}
