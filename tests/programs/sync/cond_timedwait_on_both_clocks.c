// SPDX-License-Identifier: Apache-2.0
// Timed waits end with ETIMEDOUT not before their time on the clock of the attribute, or the one
// named.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void time_out(pthread_cond_t* never, clockid_t clock, const char* name) {
  struct timespec until = after_ms(clock, 30);
  int error;
  OK(pthread_mutex_lock(&lock));
  do {
    error = pthread_cond_timedwait(never, &lock, &until);
  } while (error == 0);
  say("%s: %s %s\n", name, error_name(error), is_past(clock, until) ? "in time" : "early");
  OK(pthread_mutex_unlock(&lock));
}

int main(void) {
  pthread_cond_t realtime, monotonic;
  pthread_condattr_t attributes;
  clockid_t clock;
  OK(pthread_condattr_init(&attributes));
  OK(pthread_condattr_getclock(&attributes, &clock));
  say("default is realtime: %d\n", clock == CLOCK_REALTIME);
  OK(pthread_cond_init(&realtime, &attributes));
  OK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
  say("bad clock: %s\n",
      error_name(pthread_condattr_setclock(&attributes, CLOCK_PROCESS_CPUTIME_ID)));
  OK(pthread_cond_init(&monotonic, &attributes));
  time_out(&realtime, CLOCK_REALTIME, "realtime");
  time_out(&monotonic, CLOCK_MONOTONIC, "monotonic");
  struct timespec until = after_ms(CLOCK_MONOTONIC, 30);
  int error;
  OK(pthread_mutex_lock(&lock));
  do {
    error = pthread_cond_clockwait(&realtime, &lock, CLOCK_MONOTONIC, &until);
  } while (error == 0);
  say("named: %s %s\n", error_name(error), is_past(CLOCK_MONOTONIC, until) ? "in time" : "early");
  until = after_ms(CLOCK_REALTIME, -1000);
  say("past: %s\n", error_name(pthread_cond_timedwait(&realtime, &lock, &until)));
  until.tv_nsec = -1;
  say("bad time: %s\n", error_name(pthread_cond_timedwait(&realtime, &lock, &until)));
  OK(pthread_mutex_unlock(&lock));
  OK(pthread_cond_destroy(&realtime));
  OK(pthread_cond_destroy(&monotonic));
  return 0;
}
