// SPDX-License-Identifier: Apache-2.0
// The CPU clock of a thread, asked of it or of another, runs while it computes and stands while it
// sleeps.

#include "support.h"

#include <stdatomic.h>

static atomic_int stop;
static sem_t idle_may_end;

static void* compute(void* argument) {
  while (!atomic_load(&stop)) {
  }
  return argument;
}
static void* idle(void* argument) {
  while (sem_wait(&idle_may_end) != 0) {
  }
  return argument;
}

static long long nanoseconds(clockid_t clock) {
  struct timespec time;
  OK(clock_gettime(clock, &time));
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(void) {
  OK(sem_init(&idle_may_end, 0, 0));
  pthread_t busy = start(compute, NULL), waiting = start(idle, NULL);
  clockid_t busy_clock, waiting_clock;
  OK(pthread_getcpuclockid(busy, &busy_clock));
  OK(pthread_getcpuclockid(waiting, &waiting_clock));
  long long own_before = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  long long before = nanoseconds(busy_clock);
  WAIT_FOR(nanoseconds(busy_clock) - before > 20000000);
  long long waited = nanoseconds(waiting_clock);
  say("busy thread's clock runs; the waiting one's stands: %d\n", waited < 20000000);
  say("own clock did not go back: %d\n", nanoseconds(CLOCK_THREAD_CPUTIME_ID) >= own_before);
  atomic_store(&stop, 1);
  OK(sem_post(&idle_may_end));
  join(busy);
  join(waiting);
  return 0;
}
