// SPDX-License-Identifier: Apache-2.0
// setitimer's SIGALRM goes to the one thread that does not block it, again and again.
#include "../io_support.h"

#include <sys/time.h>

static atomic_int ticks;
static pthread_t open_thread;
static atomic_bool elsewhere;

static void tick(int number) {
  (void)number;
  if (!pthread_equal(pthread_self(), open_thread)) atomic_store(&elsewhere, true);
  atomic_fetch_add(&ticks, 1);
}

static void* wait_for_ticks(void* unused) {
  (void)unused;
  open_thread = pthread_self();
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  const struct itimerval often = {.it_interval = {.tv_usec = 5000}, .it_value = {.tv_usec = 5000}};
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  CHECK(pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL) == 0);
  while (atomic_load(&ticks) < 10) sleep_ms(2);
  const struct itimerval never = {0};
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  return NULL;
}

int main(void) {
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  CHECK(pthread_sigmask(SIG_BLOCK, &alarm_only, NULL) == 0);
  handle_signal(SIGALRM, tick, 0);
  finish(start(wait_for_ticks, NULL));
  printf("ten ticks, elsewhere %d\n", atomic_load(&elsewhere));
  return 0;
}
