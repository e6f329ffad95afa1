// SPDX-License-Identifier: Apache-2.0
// A thread in sigwait takes the signals of the process, which all threads block, while main waits
// in a join.

#include "support.h"

#include <stdint.h>

static void* serve(void* argument) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGTERM);
  for (;;) {
    int number;
    OK(sigwait(&set, &number));
    say("got SIG%s\n", sigabbrev_np(number));
    OK(sem_post(argument));
    if (number == SIGTERM) return NULL;
  }
}
static void* send(void* argument) {
  for (int i = 0; i < 3; ++i) {
    sleep_ms(3);
    OK(kill(getpid(), SIGHUP));
    OK(sem_wait(argument));
  }
  OK(kill(getpid(), SIGTERM));
  return NULL;
}

int main(void) {
  static sem_t taken;
  OK(sem_init(&taken, 0, 0));
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGTERM);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  pthread_t server = start(serve, &taken), sender = start(send, &taken);
  join(server);
  join(sender);
  return 0;
}
