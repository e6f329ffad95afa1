// SPDX-License-Identifier: Apache-2.0
// A broadcast wakes every waiter, each of which holds the mutex alone when it goes on.

#include "support.h"

enum { count = 50 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER, arrived = PTHREAD_COND_INITIALIZER;
static int round_number, waiting, inside;

static void* wait_rounds(void* argument) {
  pthread_mutex_lock(&lock);
  for (int round = 1; round <= 20; ++round) {
    if (++waiting == count) pthread_cond_signal(&arrived);
    while (round_number < round) pthread_cond_wait(&go, &lock);
    CHECK(++inside == 1);
    --inside;
  }
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(void) {
  pthread_t threads[count];
  for (int i = 0; i < count; ++i) threads[i] = start(wait_rounds, NULL);
  pthread_mutex_lock(&lock);
  for (int round = 1; round <= 20; ++round) {
    while (waiting < count) pthread_cond_wait(&arrived, &lock);
    waiting = 0;
    round_number = round;
    pthread_cond_broadcast(&go);
  }
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < count; ++i) join(threads[i]);
  say("rounds: %d\n", round_number);
  return 0;
}
