// SPDX-License-Identifier: Apache-2.0
// Times taken by threads that wait for each other never go back, on every steady clock.
#include "../io_support.h"

enum { THREADS = 8, LAPS = 100 };
static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE,
                                   CLOCK_BOOTTIME};
static int ring[THREADS][2];

static void* compare_and_pass(void* index) {
  const intptr_t own = (intptr_t)index;
  for (int lap = 0; lap < LAPS; ++lap) {
    int64_t times[4];
    read_all(ring[own][0], times, sizeof times);
    for (int i = 0; i < 4; ++i) {
      const int64_t now = clock_ns(clocks[i]);
      CHECK(now >= times[i]);
      times[i] = now;
    }
    write_all(ring[(own + 1) % THREADS][1], times, sizeof times);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) CHECK(pipe(ring[i]) == 0);
  for (intptr_t i = 0; i < THREADS; ++i) threads[i] = start(compare_and_pass, (void*)i);
  const int64_t times[4] = {0};
  write_all(ring[0][1], times, sizeof times);
  for (int i = 0; i < THREADS; ++i) finish(threads[i]);
  printf("never\n");
  return 0;
}
