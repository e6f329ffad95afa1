// SPDX-License-Identifier: Apache-2.0
// A SIGEV_SIGNAL timer queues its signal with its value; SIGEV_THREAD_ID picks the thread.
#include "../io_support.h"

static void wait_for_expiry(int how, int value) {
  struct sigevent event = {.sigev_notify = how, .sigev_signo = SIGRTMIN};
  event.sigev_value.sival_int = value;
  if (how == SIGEV_THREAD_ID) event._sigev_un._tid = gettid();
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec soon = {.it_value = timespec_of_ns(15 * MILLISECOND_NS)};
  const int64_t began = now_ns();
  CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGRTMIN);
  siginfo_t info;
  CHECK(sigwaitinfo(&wanted, &info) == SIGRTMIN);
  CHECK(now_ns() - began >= 15 * MILLISECOND_NS);
  printf("value %d, by a timer %d, overrun %d\n", info.si_value.sival_int, info.si_code == SI_TIMER,
         timer_getoverrun(timer));
  struct itimerspec left;
  CHECK(timer_gettime(timer, &left) == 0);
  printf("disarmed %d\n", left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
  CHECK(timer_delete(timer) == 0);
}

static void body(void) {
  wait_for_expiry(SIGEV_SIGNAL, 1);
  wait_for_expiry(SIGEV_THREAD_ID, 2);
}

int main(void) {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGRTMIN);
  CHECK(pthread_sigmask(SIG_BLOCK, &wanted, NULL) == 0);
  in_main_and_thread(body);
  return 0;
}
