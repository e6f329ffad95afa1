// SPDX-License-Identifier: Apache-2.0
// A mutex with priority inheritance excludes, times out and detects relocking like any other.

#include "support.h"

enum { rounds = 500 };
static pthread_mutex_t lock;
static long counter;

static void* increment(void* argument) {
  for (int i = 0; i < rounds; ++i) {
    OK(pthread_mutex_lock(&lock));
    ++counter;
    OK(pthread_mutex_unlock(&lock));
  }
  return argument;
}
static void* time_out(void* argument) {
  struct timespec until = after_ms(CLOCK_REALTIME, 20);
  say("timed: %s\n", error_name(pthread_mutex_timedlock(&lock, &until)));
  say("try: %s\n", error_name(pthread_mutex_trylock(&lock)));
  return argument;
}

int main(void) {
  pthread_mutexattr_t attributes;
  OK(pthread_mutexattr_init(&attributes));
  OK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
  OK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK));
  OK(pthread_mutex_init(&lock, &attributes));
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i) threads[i] = start(increment, NULL);
  for (int i = 0; i < 6; ++i) join(threads[i]);
  say("counter: %ld\n", counter);
  OK(pthread_mutex_lock(&lock));
  sleep_ms(1);
  say("relock: %s\n", error_name(pthread_mutex_lock(&lock)));
  join(start(time_out, NULL));
  OK(pthread_mutex_unlock(&lock));
  return 0;
}
