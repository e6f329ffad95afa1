// SPDX-License-Identifier: Apache-2.0
// A barrier may be destroyed and made anew by the serial thread as soon as its wait has returned.

#include "support.h"

enum { rounds = 100 };
static pthread_barrier_t gate, inner;

static void* pass(void* argument) {
  for (int round = 0; round < rounds; ++round) {
    pthread_barrier_wait(&gate);
    if (pthread_barrier_wait(&inner) == PTHREAD_BARRIER_SERIAL_THREAD) {
      OK(pthread_barrier_destroy(&inner));
      memset(&inner, 0, sizeof inner);
      OK(pthread_barrier_init(&inner, NULL, 4));
    }
  }
  return argument;
}

int main(void) {
  OK(pthread_barrier_init(&gate, NULL, 4));
  OK(pthread_barrier_init(&inner, NULL, 4));
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(pass, NULL);
  for (int i = 0; i < 4; ++i) join(threads[i]);
  say("rounds: %d\n", rounds);
  return 0;
}
