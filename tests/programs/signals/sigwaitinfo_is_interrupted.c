// SPDX-License-Identifier: Apache-2.0
// sigwaitinfo fails with EINTR after the handler of another signal, and sigwait waits on.

#include "support.h"

#include <stdatomic.h>

static atomic_int finished, handled;

static void handle(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}
static void* in_sigwaitinfo(void* argument) {
  sigset_t set = only(SIGUSR2);
  int result = sigwaitinfo(&set, NULL);
  say("sigwaitinfo: %d %s\n", result, error_name(errno));
  atomic_store(&finished, 1);
  return argument;
}
static void* in_sigwait(void* argument) {
  sigset_t set = only(SIGUSR2);
  int number = 0, error = sigwait(&set, &number);
  say("sigwait: %s, SIG%s\n", error_name(error), sigabbrev_np(number));
  return argument;
}

int main(void) {
  on_signal(SIGUSR1, handle, 0);
  sigset_t set = only(SIGUSR2);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  pthread_t thread = start(in_sigwaitinfo, NULL);
  while (!atomic_load(&finished)) {
    OK(pthread_kill(thread, SIGUSR1));
    sleep_ms(5);
  }
  join(thread);
  thread = start(in_sigwait, NULL);
  for (int i = 0; i < 3; ++i) {
    int before = atomic_load(&handled);
    OK(pthread_kill(thread, SIGUSR1));
    WAIT_FOR(atomic_load(&handled) > before);
  }
  OK(pthread_kill(thread, SIGUSR2));
  join(thread);
  return 0;
}
