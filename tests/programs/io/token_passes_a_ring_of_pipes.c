// SPDX-License-Identifier: Apache-2.0
// A token goes round a ring of 200 threads joined by pipes, every one of them waiting for it.
#include "../io_support.h"

enum { THREADS = 200, LAPS = 50 };
static int ring[THREADS][2];

static void* pass_on(void* index) {
  const intptr_t own = (intptr_t)index;
  for (int lap = 0; lap < LAPS; ++lap) {
    long token;
    CHECK(read(ring[own][0], &token, sizeof token) == sizeof token);
    CHECK(token == lap * (long)THREADS + own);
    ++token;
    CHECK(write(ring[(own + 1) % THREADS][1], &token, sizeof token) == sizeof token);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) CHECK(pipe(ring[i]) == 0);
  for (intptr_t i = 0; i < THREADS; ++i) threads[i] = start(pass_on, (void*)i);
  let_it_block();
  long token = 0;
  CHECK(write(ring[0][1], &token, sizeof token) == sizeof token);
  for (int i = 0; i < THREADS; ++i) finish(threads[i]);
  CHECK(read(ring[0][0], &token, sizeof token) == sizeof token);
  printf("%ld passes\n", token);
  return 0;
}
