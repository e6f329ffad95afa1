// SPDX-License-Identifier: Apache-2.0
// _exit in a thread ends the process at once: no exit handlers, nothing flushed, its code.
// exits: 9

#include "support.h"

static void tell(void) {
  say("never printed\n");
}

static void* end_it(void* argument) {
  (void)argument;
  _exit(9);
}

int main(void) {
  OK(atexit(tell));
  say("before\n");
  printf("left in the buffer\n");
  start(end_it, NULL);
  for (;;) sleep_ms(1000);
}
