// SPDX-License-Identifier: Apache-2.0
// pthread_kill of a thread in sigwait, sigwaitinfo or sigtimedwait is taken by it, not by another
// in the same wait.

#include "support.h"

#include <stdint.h>

static void* wait_for_it(void* index) {
  intptr_t mine = (intptr_t)index;
  sigset_t set = only(SIGUSR1);
  siginfo_t information;
  if (mine == 0) {
    int number;
    OK(sigwait(&set, &number));
    CHECK(number == SIGUSR1);
  } else if (mine == 1) {
    CHECK(sigwaitinfo(&set, &information) == SIGUSR1 && information.si_pid == getpid());
  } else {
    CHECK(sigtimedwait(&set, &information, &(struct timespec){1000, 0}) == SIGUSR1);
  }
  say("%d has it\n", (int)mine);
  return NULL;
}

int main(void) {
  sigset_t set = only(SIGUSR1);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  pthread_t threads[3];
  for (intptr_t i = 0; i < 3; ++i) threads[i] = start(wait_for_it, (void*)i);
  sleep_ms(5);
  for (int i = 2; i >= 0; --i) {
    OK(pthread_kill(threads[i], SIGUSR1));
    join(threads[i]);
  }
  int result = sigtimedwait(&set, NULL, &(struct timespec){0, 10000000});
  say("nothing left: %d %s\n", result, error_name(errno));
  result = sigtimedwait(&set, NULL, &(struct timespec){0, 0});
  say("at once: %d %s\n", result, error_name(errno));
  return 0;
}
