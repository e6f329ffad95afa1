// SPDX-License-Identifier: Apache-2.0
// pthread_once runs its function once, and everybody returns only after it has ended.

#include "support.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, finished;

static void run_slowly(void) {
  ++runs;
  sleep_ms(20);
  finished = 1;
}
static void* call(void* argument) {
  OK(pthread_once(&once, run_slowly));
  CHECK(finished == 1);
  return argument;
}

int main(void) {
  pthread_t threads[20];
  for (int i = 0; i < 20; ++i) threads[i] = start(call, NULL);
  for (int i = 0; i < 20; ++i) join(threads[i]);
  OK(pthread_once(&once, run_slowly));
  say("runs: %d\n", runs);
  return 0;
}
