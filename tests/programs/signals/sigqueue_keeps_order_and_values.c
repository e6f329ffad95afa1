// SPDX-License-Identifier: Apache-2.0
// Queued real-time signals arrive lowest number first, each in the order sent, with their values.

#include "support.h"

static void* wait_for_all(void* argument) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 1);
  sigaddset(&set, SIGRTMIN + 2);
  for (int i = 0; i < 6; ++i) {
    siginfo_t information;
    int number = sigwaitinfo(&set, &information);
    say("SIGRTMIN+%d: value %d, queued %d\n", number - SIGRTMIN, information.si_value.sival_int,
        information.si_code == SI_QUEUE);
  }
  return argument;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 1);
  sigaddset(&set, SIGRTMIN + 2);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  for (int i = 0; i < 3; ++i) {
    OK(sigqueue(getpid(), SIGRTMIN + 2, (union sigval){.sival_int = 20 + i}));
    OK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 10 + i}));
  }
  join(start(wait_for_all, NULL));
  return 0;
}
