// SPDX-License-Identifier: Apache-2.0
// A POSIX timer with SIGEV_SIGNAL delivers its value again and again, and one with SIGEV_NONE only
// counts down.

#include "support.h"

int main(void) {
  sigset_t set = only(SIGRTMIN + 4);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN + 4;
  event.sigev_value.sival_int = 77;
  timer_t timer;
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  struct itimerspec period = {{0, 2000000}, {0, 2000000}}, left;
  OK(timer_settime(timer, 0, &period, NULL));
  for (int i = 0; i < 3; ++i) {
    siginfo_t information;
    CHECK(sigwaitinfo(&set, &information) == SIGRTMIN + 4);
    say("timer %d, value %d\n", information.si_code == SI_TIMER, information.si_value.sival_int);
  }
  CHECK(timer_getoverrun(timer) >= 0);
  OK(timer_delete(timer));
  event.sigev_notify = SIGEV_NONE;
  OK(timer_create(CLOCK_REALTIME, &event, &timer));
  struct itimerspec once = {{0, 0}, {1000, 0}};
  OK(timer_settime(timer, 0, &once, NULL));
  OK(timer_gettime(timer, &left));
  say("counts down: %d\n", left.it_value.tv_sec > 900 && left.it_value.tv_sec <= 1000);
  OK(timer_delete(timer));
  return 0;
}
