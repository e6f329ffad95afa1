// SPDX-License-Identifier: Apache-2.0
// A POSIX timer with SIGEV_THREAD_ID interrupts the thread of that id and no other.

#include "support.h"

#include <stdatomic.h>

static atomic_int handled, id_of_target, stop;

static void handle(int number) {
  (void)number;
  CHECK(gettid() == atomic_load(&id_of_target));
  atomic_fetch_add(&handled, 1);
}
static void* be_target(void* argument) {
  atomic_store(&id_of_target, gettid());
  while (!atomic_load(&stop)) sleep(1);
  return argument;
}
static void* be_other(void* argument) {
  while (!atomic_load(&stop)) sleep_ms(1);
  return argument;
}

int main(void) {
  on_signal(SIGUSR2, handle, 0);
  pthread_t target = start(be_target, NULL), other = start(be_other, NULL);
  WAIT_FOR(atomic_load(&id_of_target) != 0);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGUSR2;
  event._sigev_un._tid = atomic_load(&id_of_target);
  timer_t timer;
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  struct itimerspec period = {{0, 2000000}, {0, 2000000}};
  OK(timer_settime(timer, 0, &period, NULL));
  WAIT_FOR(atomic_load(&handled) >= 3);
  atomic_store(&stop, 1);
  join(target);
  OK(timer_delete(timer));
  join(other);
  say("handled in its thread\n");
  return 0;
}
