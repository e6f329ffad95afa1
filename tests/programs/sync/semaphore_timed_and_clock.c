// SPDX-License-Identifier: Apache-2.0
// Timed waits for a semaphore end with ETIMEDOUT not before their time on both clocks, or take it
// in time.

#include "support.h"

static sem_t semaphore;

static void* post_later(void* argument) {
  sleep_ms(20);
  OK(sem_post(&semaphore));
  return argument;
}

int main(void) {
  OK(sem_init(&semaphore, 0, 0));
  struct timespec until = after_ms(CLOCK_REALTIME, 20);
  int result = sem_timedwait(&semaphore, &until), error = errno;
  say("timed: %d %s %d\n", result, error_name(error), is_past(CLOCK_REALTIME, until));
  until = after_ms(CLOCK_MONOTONIC, 20);
  result = sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until), error = errno;
  say("clock: %d %s %d\n", result, error_name(error), is_past(CLOCK_MONOTONIC, until));
  until.tv_nsec = 1000000000;
  result = sem_timedwait(&semaphore, &until);
  say("bad time: %d %s\n", result, error_name(errno));
  OK(sem_post(&semaphore));
  until = after_ms(CLOCK_REALTIME, -5000);
  OK(sem_timedwait(&semaphore, &until));
  say("there: taken, though the time is past\n");
  pthread_t thread = start(post_later, NULL);
  until = after_ms(CLOCK_MONOTONIC, 25000);
  OK(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until));
  say("posted in time\n");
  join(thread);
  return 0;
}
