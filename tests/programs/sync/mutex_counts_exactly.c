// SPDX-License-Identifier: Apache-2.0
// A counter guarded by each kind of mutex ends at exactly the number of increments of eight
// threads.

#include "support.h"

enum { threads_count = 8, rounds = 5000 };
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

int main(void) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                              PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
  for (int type = 0; type < 4; ++type) {
    pthread_mutexattr_t attributes;
    OK(pthread_mutexattr_init(&attributes));
    OK(pthread_mutexattr_settype(&attributes, types[type]));
    OK(pthread_mutex_init(&lock, &attributes));
    OK(pthread_mutexattr_destroy(&attributes));
    counter = 0;
    pthread_t threads[threads_count];
    for (int i = 0; i < threads_count; ++i) threads[i] = start(increment, NULL);
    for (int i = 0; i < threads_count; ++i) join(threads[i]);
    OK(pthread_mutex_destroy(&lock));
    say("kind %d: %ld\n", type, counter);
  }
  return 0;
}
