// SPDX-License-Identifier: Apache-2.0
// sigsuspend opens its mask only while it waits, and sigsuspend and pause end with EINTR after the
// handler.

#include "support.h"

#include <stdatomic.h>

static atomic_int handled, ready, finished;

static void handle(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}
static void* in_sigsuspend(void* argument) {
  sigset_t set = only(SIGUSR1), none;
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  atomic_store(&ready, 1);
  sleep_ms(10);
  CHECK(atomic_load(&handled) == 0);
  sigemptyset(&none);
  int result = sigsuspend(&none);
  int error = errno;
  OK(pthread_sigmask(SIG_SETMASK, NULL, &set));
  say("sigsuspend: %d %s, handled %d, blocked again %d\n", result, error_name(error),
      atomic_load(&handled), sigismember(&set, SIGUSR1));
  return argument;
}
static void* in_pause(void* argument) {
  atomic_store(&ready, 1);
  int result = pause();
  say("pause: %d %s\n", result, error_name(errno));
  atomic_store(&finished, 1);
  return argument;
}

int main(void) {
  on_signal(SIGUSR1, handle, 0);
  pthread_t thread = start(in_sigsuspend, NULL);
  WAIT_FOR(atomic_load(&ready));
  OK(pthread_kill(thread, SIGUSR1));
  join(thread);
  atomic_store(&ready, 0);
  thread = start(in_pause, NULL);
  while (!atomic_load(&finished)) {
    OK(pthread_kill(thread, SIGUSR1));
    sleep_ms(5);
  }
  join(thread);
  return 0;
}
