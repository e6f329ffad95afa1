// SPDX-License-Identifier: Apache-2.0
// A handler can be interrupted by another signal, but not by one in its sa_mask, which follows
// afterwards.

#include "support.h"

static _Thread_local volatile sig_atomic_t inside_first;

static void second(int number) {
  (void)number;
  write_text(inside_first ? "second, inside the first\n" : "second, by itself\n");
}
static void third(int number) {
  (void)number;
  write_text(inside_first ? "third, inside the first\n" : "third, after the first\n");
}
static void first(int number) {
  (void)number;
  inside_first = 1;
  write_text("first begins\n");
  raise(SIGUSR2);
  raise(SIGHUP);
  write_text("first ends\n");
  inside_first = 0;
}

static void* run(void* argument) {
  OK(raise(SIGUSR1));
  OK(raise(SIGUSR2));
  return argument;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = first;
  sigaddset(&action.sa_mask, SIGHUP);
  OK(sigaction(SIGUSR1, &action, NULL));
  on_signal(SIGUSR2, second, 0);
  on_signal(SIGHUP, third, 0);
  run(NULL);
  join(start(run, NULL));
  return 0;
}
