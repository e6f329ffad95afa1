// SPDX-License-Identifier: Apache-2.0
// A cleanup handler of a cancelled thread may itself lock, wait, sleep and print.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int step;

static void clean(void* argument) {
  (void)argument;
  pthread_mutex_lock(&lock);
  step = 1;
  pthread_cond_broadcast(&changed);
  while (step != 2) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  sleep_ms(5);
  say("cleaned\n");
}
static void* run(void* argument) {
  pthread_cleanup_push(clean, NULL);
  for (;;) sleep(1000);
  pthread_cleanup_pop(0);
  return argument;
}

int main(void) {
  pthread_t thread = start(run, NULL);
  sleep_ms(5);
  OK(pthread_cancel(thread));
  pthread_mutex_lock(&lock);
  while (step != 1) pthread_cond_wait(&changed, &lock);
  say("handler waits\n");
  step = 2;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  say("cancelled: %d\n", join(thread) == PTHREAD_CANCELED);
  return 0;
}
