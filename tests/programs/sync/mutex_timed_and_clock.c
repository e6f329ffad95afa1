// SPDX-License-Identifier: Apache-2.0
// pthread_mutex_timedlock and clocklock end with ETIMEDOUT not before their time, on both clocks,
// and lock a free mutex even after it.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* wait_for_it(void* argument) {
  struct timespec until = after_ms(CLOCK_REALTIME, 30);
  say("timed: %s", error_name(pthread_mutex_timedlock(&lock, &until)));
  say(" %s\n", is_past(CLOCK_REALTIME, until) ? "in time" : "early");
  until = after_ms(CLOCK_MONOTONIC, 30);
  say("clock: %s", error_name(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &until)));
  say(" %s\n", is_past(CLOCK_MONOTONIC, until) ? "in time" : "early");
  until = after_ms(CLOCK_REALTIME, -5000);
  say("long past: %s\n", error_name(pthread_mutex_timedlock(&lock, &until)));
  until.tv_nsec = 1000000000;
  say("bad time: %s\n", error_name(pthread_mutex_timedlock(&lock, &until)));
  say("bad clock: %s\n",
      error_name(pthread_mutex_clocklock(&lock, CLOCK_PROCESS_CPUTIME_ID, &until)));
  return argument;
}

int main(void) {
  OK(pthread_mutex_lock(&lock));
  struct timespec until = after_ms(CLOCK_REALTIME, 20);
  say("own: %s\n", error_name(pthread_mutex_timedlock(&lock, &until)));
  join(start(wait_for_it, NULL));
  OK(pthread_mutex_unlock(&lock));
  until = after_ms(CLOCK_REALTIME, -5000);
  say("free and past: %s\n", error_name(pthread_mutex_timedlock(&lock, &until)));
  OK(pthread_mutex_unlock(&lock));
  return 0;
}
