// SPDX-License-Identifier: Apache-2.0
// A SIGABRT handler that jumps out of abort keeps the process alive.

#include "support.h"

#include <setjmp.h>

static sigjmp_buf back;

static void handle(int number) {
  (void)number;
  siglongjmp(back, 1);
}
static void* give_up(void* argument) {
  if (sigsetjmp(back, 1) == 0) abort();
  say("still here\n");
  return argument;
}

int main(void) {
  on_signal(SIGABRT, handle, 0);
  join(start(give_up, NULL));
  return 0;
}
