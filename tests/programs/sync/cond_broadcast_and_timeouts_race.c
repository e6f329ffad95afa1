// SPDX-License-Identifier: Apache-2.0
// Timed waiters that time out while others are signalled lose no ticket: all that are given are
// taken.

#include "support.h"

enum { threads_count = 8, tickets_total = 400 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int tickets, taken;

static void* take(void* argument) {
  pthread_mutex_lock(&lock);
  while (taken < tickets_total) {
    if (tickets > 0) {
      --tickets;
      if (++taken == tickets_total) pthread_cond_broadcast(&changed);
      continue;
    }
    struct timespec until = after_ms(CLOCK_REALTIME, 1);
    int error = pthread_cond_timedwait(&changed, &lock, &until);
    CHECK(error == 0 || error == ETIMEDOUT);
  }
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(void) {
  pthread_t threads[threads_count];
  for (int i = 0; i < threads_count; ++i) threads[i] = start(take, NULL);
  for (int given = 0; given < tickets_total; ++given) {
    pthread_mutex_lock(&lock);
    ++tickets;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    if (given % 16 == 0) usleep(900);
  }
  for (int i = 0; i < threads_count; ++i) join(threads[i]);
  say("taken: %d, left: %d\n", taken, tickets);
  return 0;
}
