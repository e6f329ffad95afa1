// SPDX-License-Identifier: Apache-2.0
// Timed read and write locks end with ETIMEDOUT not before their time on both clocks, or get the
// lock.

#include "support.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* time_out(void* argument) {
  struct timespec until = after_ms(CLOCK_REALTIME, 20);
  say("read: %s", error_name(pthread_rwlock_timedrdlock(&lock, &until)));
  say(" %d\n", is_past(CLOCK_REALTIME, until));
  until = after_ms(CLOCK_REALTIME, 20);
  say("write: %s", error_name(pthread_rwlock_timedwrlock(&lock, &until)));
  say(" %d\n", is_past(CLOCK_REALTIME, until));
  until = after_ms(CLOCK_MONOTONIC, 20);
  say("clock read: %s", error_name(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &until)));
  say(" %d\n", is_past(CLOCK_MONOTONIC, until));
  until = after_ms(CLOCK_MONOTONIC, 20);
  say("clock write: %s", error_name(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until)));
  say(" %d\n", is_past(CLOCK_MONOTONIC, until));
  return argument;
}
static void* get_it(void* argument) {
  struct timespec until = after_ms(CLOCK_MONOTONIC, 25000);
  OK(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until));
  OK(pthread_rwlock_unlock(&lock));
  say("got it\n");
  return argument;
}

int main(void) {
  OK(pthread_rwlock_wrlock(&lock));
  join(start(time_out, NULL));
  pthread_t waiter = start(get_it, NULL);
  sleep_ms(20);
  OK(pthread_rwlock_unlock(&lock));
  join(waiter);
  return 0;
}
