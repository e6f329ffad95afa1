// SPDX-License-Identifier: Apache-2.0
// A thread that spins without any call does not keep the others from making progress.

#include "support.h"

#include <stdatomic.h>

static atomic_int stop;
static int steps;

static void* spin(void* argument) {
  while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
  }
  return argument;
}

static void* step(void* argument) {
  for (int i = 0; i < 20; ++i) {
    sleep_ms(1);
    ++steps;
  }
  atomic_store(&stop, 1);
  return argument;
}

int main(void) {
  pthread_t spinners[3];
  for (int i = 0; i < 3; ++i) spinners[i] = start(spin, NULL);
  join(start(step, NULL));
  for (int i = 0; i < 3; ++i) join(spinners[i]);
  say("steps: %d\n", steps);
  return 0;
}
