// SPDX-License-Identifier: Apache-2.0
// A thread's signal mask is inherited from its maker, changed for itself only, and kept across
// waits.

#include "support.h"

#include <stdint.h>

static int is_blocked(int number) {
  sigset_t set;
  OK(pthread_sigmask(SIG_SETMASK, NULL, &set));
  return sigismember(&set, number);
}

static void* use(void* index) {
  intptr_t mine = (intptr_t)index;
  CHECK(is_blocked(SIGUSR1) == 1 && is_blocked(SIGUSR2) == 0);
  sigset_t set = only(SIGRTMIN + (int)mine);
  OK(pthread_sigmask(SIG_SETMASK, &set, NULL));
  for (int round = 0; round < 10; ++round) {
    sleep_ms(1);
    for (int other = 0; other < 8; ++other) {
      CHECK(is_blocked(SIGRTMIN + other) == (other == mine));
    }
    CHECK(is_blocked(SIGUSR1) == 0);
  }
  return NULL;
}

int main(void) {
  sigset_t set = only(SIGUSR1);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  pthread_t threads[8];
  for (intptr_t i = 0; i < 8; ++i) threads[i] = start(use, (void*)i);
  for (int i = 0; i < 8; ++i) join(threads[i]);
  say("main: SIGUSR1 %d, SIGRTMIN %d\n", is_blocked(SIGUSR1), is_blocked(SIGRTMIN));
  say("bad request: %s\n", error_name(pthread_sigmask(77, &set, NULL)));
  return 0;
}
