// SPDX-License-Identifier: Apache-2.0
// kill of the own process with the signal open in this only thread runs its handler before it
// returns.

#include "support.h"

static volatile sig_atomic_t handled;

static void handle(int number) {
  (void)number;
  ++handled;
}

int main(void) {
  on_signal(SIGUSR1, handle, 0);
  for (int i = 1; i <= 5; ++i) {
    OK(kill(getpid(), SIGUSR1));
    CHECK(handled == i);
  }
  say("handled: %d\n", (int)handled);
  return 0;
}
