// SPDX-License-Identifier: Apache-2.0
// Waiting for a mutex, a barrier or an rwlock is not cut short by a cancellation, which acts
// afterwards.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int locked, passed;

static void* wait_for_both(void* argument) {
  pthread_mutex_lock(&lock);
  locked = 1;
  pthread_mutex_unlock(&lock);
  pthread_barrier_wait(&barrier);
  passed = 1;
  for (;;) pause();
  return argument;
}

int main(void) {
  OK(pthread_barrier_init(&barrier, NULL, 2));
  pthread_mutex_lock(&lock);
  pthread_t thread = start(wait_for_both, NULL);
  sleep_ms(10);
  OK(pthread_cancel(thread));
  sleep_ms(20);
  pthread_mutex_unlock(&lock);
  pthread_barrier_wait(&barrier);
  int cancelled = join(thread) == PTHREAD_CANCELED;
  say("locked: %d, passed: %d, cancelled: %d\n", locked, passed, cancelled);
  return 0;
}
