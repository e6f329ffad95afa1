// SPDX-License-Identifier: Apache-2.0
// alarm ends a wait, a periodic ITIMER_REAL ticks, and ITIMER_VIRTUAL and ITIMER_PROF tick with
// CPU time.

#include "support.h"

#include <stdatomic.h>
#include <sys/time.h>

static atomic_int ticks[65];

static void handle(int number) {
  atomic_fetch_add(&ticks[number], 1);
}

static void* compute(void* argument) {
  int number = *(int*)argument;
  while (atomic_load(&ticks[number]) < 3) {
  }
  return NULL;
}

int main(void) {
  on_signal(SIGALRM, handle, 0);
  on_signal(SIGVTALRM, handle, 0);
  on_signal(SIGPROF, handle, 0);
  struct itimerval period = {{0, 5000}, {0, 5000}}, never = {{0, 0}, {0, 0}}, left;
  OK(setitimer(ITIMER_REAL, &period, NULL));
  while (atomic_load(&ticks[SIGALRM]) < 3) usleep(1000000 - 1);
  OK(setitimer(ITIMER_REAL, &never, &left));
  say("real ticks\n");
  int numbers[2] = {SIGVTALRM, SIGPROF};
  OK(setitimer(ITIMER_VIRTUAL, &period, NULL));
  join(start(compute, &numbers[0]));
  OK(setitimer(ITIMER_VIRTUAL, &never, NULL));
  say("virtual ticks\n");
  OK(setitimer(ITIMER_PROF, &period, NULL));
  join(start(compute, &numbers[1]));
  OK(setitimer(ITIMER_PROF, &never, NULL));
  say("profiling ticks\n");
  say("no alarm before: %u, ", alarm(100));
  unsigned remaining = alarm(0);
  say("left: %d\n", remaining > 50 && remaining <= 100);
  int before = atomic_load(&ticks[SIGALRM]);
  sigset_t set = only(SIGALRM), none;
  sigemptyset(&none);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  alarm(1);
  CHECK(sigsuspend(&none) == -1 && errno == EINTR);
  say("alarm ended a wait: %d\n", atomic_load(&ticks[SIGALRM]) - before);
  return 0;
}
