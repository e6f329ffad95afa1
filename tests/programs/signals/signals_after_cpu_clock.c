// SPDX-License-Identifier: Apache-2.0
// A thread that has asked for its CPU time handles signals as before: while it computes, waits or
// sleeps, and not while it blocks them.

#include "support.h"

#include <stdatomic.h>

static atomic_int handled, ready;
static int ends[2];

static void count(int number) {
  if (number == SIGUSR2) atomic_fetch_add(&handled, 1);
}

static void* be_signalled(void* argument) {
  struct timespec time;
  OK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time));
  char byte;
  atomic_store(&ready, 1);
  CHECK(read(ends[0], &byte, 1) == -1 && errno == EINTR);
  atomic_store(&ready, 2);
  while (atomic_load(&handled) < 1) {
  }
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  atomic_store(&ready, 3);
  WAIT_FOR(atomic_load(&ready) == 4);
  CHECK(atomic_load(&handled) == 1);
  OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
  CHECK(atomic_load(&handled) == 2);
  return argument;
}

int main(void) {
  on_signal(SIGUSR1, count, 0);
  on_signal(SIGUSR2, count, 0);
  OK(pipe(ends));
  pthread_t thread = start(be_signalled, NULL);
  WAIT_FOR(atomic_load(&ready) == 1);
  // A signal that comes before the read waits is lost on it, hence more than one.
  while (atomic_load(&ready) == 1) {
    sleep_ms(5);
    if (atomic_load(&ready) == 1) OK(pthread_kill(thread, SIGUSR1));
  }
  OK(pthread_kill(thread, SIGUSR2));
  WAIT_FOR(atomic_load(&ready) == 3);
  OK(pthread_kill(thread, SIGUSR2));
  atomic_store(&ready, 4);
  join(thread);
  say("handled in each place\n");
  return 0;
}
