// SPDX-License-Identifier: Apache-2.0
// An error-checking mutex tells EDEADLK to its owner, EPERM to who does not own it and EBUSY to
// who tries.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void* meddle(void* argument) {
  say("other: try %s, unlock %s\n", error_name(pthread_mutex_trylock(&lock)),
      error_name(pthread_mutex_unlock(&lock)));
  return argument;
}

int main(void) {
  say("unlock of unlocked: %s\n", error_name(pthread_mutex_unlock(&lock)));
  OK(pthread_mutex_lock(&lock));
  sleep_ms(2);
  say("lock again: %s\n", error_name(pthread_mutex_lock(&lock)));
  struct timespec until = after_ms(CLOCK_REALTIME, 10000);
  say("timed again: %s\n", error_name(pthread_mutex_timedlock(&lock, &until)));
  say("try again: %s\n", error_name(pthread_mutex_trylock(&lock)));
  join(start(meddle, NULL));
  OK(pthread_mutex_unlock(&lock));
  say("unlock twice: %s\n", error_name(pthread_mutex_unlock(&lock)));
  OK(pthread_mutex_destroy(&lock));
  return 0;
}
