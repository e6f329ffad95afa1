// SPDX-License-Identifier: Apache-2.0
// A SIGABRT handler that returns runs in the thread that called abort, and does not keep the
// process alive.
// exits: SIGABRT

#include "support.h"

static _Thread_local int mine;

static void handle(int number) {
  (void)number;
  write_text(mine == 5 ? "handled in its thread\n" : "handled elsewhere\n");
}
static void* give_up(void* argument) {
  mine = 5;
  sleep_ms(2);
  abort();
  return argument;
}

int main(void) {
  on_signal(SIGABRT, handle, 0);
  join(start(give_up, NULL));
  return 0;
}
