// SPDX-License-Identifier: Apache-2.0
// SA_RESETHAND handles once, SA_NODEFER lets a handler be entered again, and without it the signal
// waits.

#include "support.h"

static _Thread_local volatile sig_atomic_t depth, deepest, calls;

static void recurse(int number) {
  ++calls;
  if (++depth > deepest) deepest = depth;
  if (calls < 4) raise(number);
  --depth;
}

static void* run(void* argument) {
  calls = deepest = 0;
  on_signal(SIGUSR1, recurse, SA_NODEFER);
  OK(raise(SIGUSR1));
  say("not deferred: calls %d, deepest %d\n", (int)calls, (int)deepest);
  calls = deepest = 0;
  on_signal(SIGUSR1, recurse, 0);
  OK(raise(SIGUSR1));
  say("deferred: calls %d, deepest %d\n", (int)calls, (int)deepest);
  calls = 10;
  on_signal(SIGUSR1, recurse, (int)SA_RESETHAND);
  OK(raise(SIGUSR1));
  struct sigaction action;
  OK(sigaction(SIGUSR1, NULL, &action));
  say("once: calls %d, default again %d\n", (int)calls - 10, action.sa_handler == SIG_DFL);
  return argument;
}

int main(void) {
  run(NULL);
  join(start(run, NULL));
  int result = sigaction(SIGKILL, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
  say("SIGKILL: %d %s\n", result, error_name(errno));
  return 0;
}
