// SPDX-License-Identifier: Apache-2.0
// exit() in a thread other than the first ends the whole process, with its code and its exit
// handlers.
// exits: 7

#include "support.h"

static void tell(void) {
  say("exit handler\n");
}

static void* end_it(void* argument) {
  (void)argument;
  say("a thread ends the process\n");
  exit(7);
}

int main(void) {
  OK(atexit(tell));
  pthread_t thread = start(end_it, NULL);
  pthread_join(thread, NULL);
  for (;;) pause();
}
