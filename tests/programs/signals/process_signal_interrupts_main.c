// SPDX-License-Identifier: Apache-2.0
// A signal to the process, which its other threads block, interrupts the initial thread's wait.

#include "support.h"

#include <stdatomic.h>

static atomic_int finished;
static volatile sig_atomic_t handled;

static void handle(int number) {
  CHECK(gettid() == getpid());
  handled = number;
}
static void* send(void* argument) {
  while (!atomic_load(&finished)) {
    OK(kill(getpid(), SIGUSR1));
    sleep_ms(5);
  }
  return argument;
}

int main(void) {
  int ends[2];
  char byte;
  OK(pipe(ends));
  on_signal(SIGUSR1, handle, 0);
  sigset_t set = only(SIGUSR1);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  pthread_t sender = start(send, NULL);
  sigset_t old;
  OK(pthread_sigmask(SIG_UNBLOCK, &set, &old));
  // Signals that come before the read are not the last ones.
  ssize_t result = read(ends[0], &byte, 1);
  int error = errno;
  atomic_store(&finished, 1);
  join(sender);
  say("read: %d %s, handled SIG%s\n", (int)result, error_name(error), sigabbrev_np(handled));
  return 0;
}
