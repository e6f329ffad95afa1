// SPDX-License-Identifier: Apache-2.0
// Two hundred threads that wait in different ways are all cancelled and joined.

#include "support.h"

#include <stdint.h>

enum { count = 200 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t nothing;
static int ends[2];

static void unlock(void* argument) {
  pthread_mutex_unlock(argument);
}

static void* wait_somewhere(void* index) {
  char byte;
  switch ((intptr_t)index % 4) {
    case 0:
      pthread_mutex_lock(&lock);
      pthread_cleanup_push(unlock, &lock);
      for (;;) pthread_cond_wait(&never, &lock);
      pthread_cleanup_pop(0);
      break;
    case 1:
      sem_wait(&nothing);
      break;
    case 2:
      CHECK(read(ends[0], &byte, 1) == 99);
      break;
    default:
      sleep(1000);
  }
  return NULL;
}

int main(void) {
  OK(pipe(ends));
  OK(sem_init(&nothing, 0, 0));
  pthread_t threads[count];
  for (intptr_t i = 0; i < count; ++i) threads[i] = start(wait_somewhere, (void*)i);
  for (int i = 0; i < count; ++i) OK(pthread_cancel(threads[i]));
  int cancelled = 0;
  for (int i = 0; i < count; ++i) cancelled += join(threads[i]) == PTHREAD_CANCELED;
  say("cancelled: %d\n", cancelled);
  return 0;
}
