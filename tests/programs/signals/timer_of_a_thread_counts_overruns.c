// SPDX-License-Identifier: Apache-2.0
// A timer of one thread that expires again and again while its signal is blocked has one signal
// pending, and counts the rest.

#include "support.h"

static void* overrun(void* argument) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 3);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGRTMIN + 3;
  event._sigev_un._tid = gettid();
  timer_t timer;
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  struct itimerspec often = {{0, 1000000}, {0, 1000000}};
  OK(timer_settime(timer, 0, &often, NULL));
  sleep_ms(30);
  siginfo_t information;
  CHECK(sigwaitinfo(&set, &information) == SIGRTMIN + 3);
  CHECK(information.si_code == SI_TIMER && timer_getoverrun(timer) >= 20);
  OK(timer_delete(timer));
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(overrun, NULL);
  for (int i = 0; i < 3; ++i) join(threads[i]);
  say("one signal, many expirations\n");
  return 0;
}
