// SPDX-License-Identifier: Apache-2.0
// pthread_timedjoin_np and pthread_clockjoin_np end with ETIMEDOUT not before their time, on
// either clock, and join a thread that ends.

#include "support.h"

static sem_t may_end;

static void* wait_for_permission(void* argument) {
  OK(sem_wait(&may_end));
  return argument;
}

int main(void) {
  OK(sem_init(&may_end, 0, 0));
  pthread_t thread = start(wait_for_permission, &may_end);
  struct timespec until = after_ms(CLOCK_REALTIME, 30);
  say("timed: %s", error_name(pthread_timedjoin_np(thread, NULL, &until)));
  say(" %s\n", is_past(CLOCK_REALTIME, until) ? "in time" : "early");
  until = after_ms(CLOCK_MONOTONIC, 30);
  say("clock: %s", error_name(pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until)));
  say(" %s\n", is_past(CLOCK_MONOTONIC, until) ? "in time" : "early");
  OK(sem_post(&may_end));
  until = after_ms(CLOCK_MONOTONIC, 20000);
  void* result = NULL;
  OK(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &until));
  say("joined with %s result\n", result == &may_end ? "its" : "another");
  return 0;
}
