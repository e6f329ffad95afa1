// SPDX-License-Identifier: Apache-2.0
// A barrier lets all through together in every round, and exactly one is its serial thread each
// time.

#include "support.h"

#include <stdatomic.h>

enum { count = 12, rounds = 100 };
static pthread_barrier_t barrier;
static atomic_int arrived, serials;

static void* go_round(void* argument) {
  for (int round = 1; round <= rounds; ++round) {
    atomic_fetch_add(&arrived, 1);
    int result = pthread_barrier_wait(&barrier);
    CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    CHECK(atomic_load(&arrived) >= round * count);
    if (result == PTHREAD_BARRIER_SERIAL_THREAD) atomic_fetch_add(&serials, 1);
  }
  return argument;
}

int main(void) {
  say("of nobody: %s\n", error_name(pthread_barrier_init(&barrier, NULL, 0)));
  OK(pthread_barrier_init(&barrier, NULL, count));
  pthread_t threads[count];
  for (int i = 0; i < count; ++i) threads[i] = start(go_round, NULL);
  for (int i = 0; i < count; ++i) join(threads[i]);
  OK(pthread_barrier_destroy(&barrier));
  say("arrived: %d, serial: %d\n", atomic_load(&arrived), atomic_load(&serials));
  return 0;
}
