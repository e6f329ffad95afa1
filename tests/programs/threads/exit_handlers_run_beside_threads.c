// SPDX-License-Identifier: Apache-2.0
// While exit handlers run, other threads still run and can be waited for.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int wanted, given;

static void* serve(void* argument) {
  (void)argument;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (wanted == given) pthread_cond_wait(&changed, &lock);
    ++given;
    pthread_cond_broadcast(&changed);
  }
  return NULL;
}

static void ask(void) {
  pthread_mutex_lock(&lock);
  ++wanted;
  pthread_cond_broadcast(&changed);
  while (given != wanted) pthread_cond_wait(&changed, &lock);
  say("served %d in an exit handler\n", given);
  pthread_mutex_unlock(&lock);
}

int main(void) {
  OK(atexit(ask));
  OK(atexit(ask));
  start(serve, NULL);
  return 0;
}
