// SPDX-License-Identifier: Apache-2.0
// alarm interrupts pause and sigsuspend; a second alarm replaces the first and tells its rest.
#include "../io_support.h"

#include <sys/time.h>

static atomic_int alarms;

static void note(int number) {
  (void)number;
  atomic_fetch_add(&alarms, 1);
}

static void body(void) {
  sigset_t alarm_only, before;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  CHECK(pthread_sigmask(SIG_BLOCK, &alarm_only, &before) == 0);
  atomic_store(&alarms, 0);
  printf("none set %u\n", alarm(100));
  const unsigned rest = alarm(0);
  printf("rest in range %d\n", rest > 50 && rest <= 100);
  const struct itimerval soon = {.it_value = {.tv_usec = 20000}};
  CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
  sigset_t open = before;
  sigdelset(&open, SIGALRM);
  show("sigsuspend", sigsuspend(&open));
  printf("%d alarm\n", atomic_load(&alarms));
  CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
}

static void* body_in_thread(void* unused) {
  (void)unused;
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  CHECK(pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL) == 0);
  body();
  // The next alarm may come before the pause, so they go on until one ends it.
  const struct itimerval often = {.it_interval = {.tv_usec = 30000},
                                  .it_value = {.tv_usec = 30000}};
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  show("pause", pause());
  const struct itimerval never = {0};
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  return NULL;
}

int main(void) {
  handle_signal(SIGALRM, note, 0);
  body();
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  CHECK(pthread_sigmask(SIG_BLOCK, &alarm_only, NULL) == 0);
  finish(start(body_in_thread, NULL));
  return 0;
}
