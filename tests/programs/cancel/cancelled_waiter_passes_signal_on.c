// SPDX-License-Identifier: Apache-2.0
// A waiter that is cancelled while others are signalled swallows no signal meant for them.

#include "support.h"

enum { rounds = 100 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int tickets, waiting;

static void unlock(void* argument) {
  pthread_mutex_unlock(argument);
}

static void* take(void* argument) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(unlock, &lock);
  ++waiting;
  while (tickets == 0) pthread_cond_wait(&changed, &lock);
  --tickets;
  pthread_cleanup_pop(1);
  return argument;
}

int main(void) {
  int taken = 0;
  for (int round = 0; round < rounds; ++round) {
    waiting = tickets = 0;
    pthread_t victim = start(take, NULL), other = start(take, NULL);
    for (;;) {
      pthread_mutex_lock(&lock);
      if (waiting == 2) break;
      pthread_mutex_unlock(&lock);
      usleep(50);
    }
    tickets = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    OK(pthread_cancel(victim));
    if (join(victim) != PTHREAD_CANCELED) {
      // It had the ticket already: the other gets one of its own.
      pthread_mutex_lock(&lock);
      tickets = 1;
      pthread_cond_signal(&changed);
      pthread_mutex_unlock(&lock);
    }
    join(other);
    taken += tickets == 0;
  }
  say("taken: %d\n", taken);
  return 0;
}
