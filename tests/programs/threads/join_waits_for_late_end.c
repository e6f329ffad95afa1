// SPDX-License-Identifier: Apache-2.0
// pthread_join waits for a thread that ends much later than the join begins.

#include "support.h"

static int finished;

static void* be_late(void* argument) {
  (void)argument;
  sleep_ms(100);
  finished = 1;
  return NULL;
}

int main(void) {
  pthread_t thread = start(be_late, NULL);
  join(thread);
  say("finished: %d\n", finished);
  return 0;
}
