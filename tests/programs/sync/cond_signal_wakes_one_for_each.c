// SPDX-License-Identifier: Apache-2.0
// As many signals as waiters let all waiters through, whether sent with the mutex held or not.

#include "support.h"

enum { count = 30 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ticket = PTHREAD_COND_INITIALIZER;
static int tickets, through;

static void* take_ticket(void* argument) {
  pthread_mutex_lock(&lock);
  while (tickets == 0) pthread_cond_wait(&ticket, &lock);
  --tickets;
  ++through;
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(void) {
  for (int hold = 0; hold < 2; ++hold) {
    pthread_t threads[count];
    for (int i = 0; i < count; ++i) threads[i] = start(take_ticket, NULL);
    for (int i = 0; i < count; ++i) {
      pthread_mutex_lock(&lock);
      ++tickets;
      if (hold) pthread_cond_signal(&ticket);
      pthread_mutex_unlock(&lock);
      if (!hold) pthread_cond_signal(&ticket);
    }
    for (int i = 0; i < count; ++i) join(threads[i]);
    say("through: %d, tickets left: %d\n", through, tickets);
  }
  return 0;
}
