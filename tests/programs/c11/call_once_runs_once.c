// SPDX-License-Identifier: Apache-2.0
// call_once runs its function once, and everybody returns after it has ended.

#include "support.h"

#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static int runs, finished;

static void run(void) {
  ++runs;
  thrd_sleep(&(struct timespec){0, 20000000}, NULL);
  finished = 1;
}
static int call(void* argument) {
  (void)argument;
  call_once(&flag, run);
  CHECK(finished == 1);
  return 0;
}

int main(void) {
  thrd_t threads[12];
  for (int i = 0; i < 12; ++i) CHECK(thrd_create(&threads[i], call, NULL) == thrd_success);
  for (int i = 0; i < 12; ++i) CHECK(thrd_join(threads[i], NULL) == thrd_success);
  say("runs: %d\n", runs);
  return 0;
}
