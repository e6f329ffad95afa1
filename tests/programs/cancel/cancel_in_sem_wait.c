// SPDX-License-Identifier: Apache-2.0
// sem_wait, sem_timedwait and sem_clockwait are cancellation points, and a cancelled wait takes
// nothing.

#include "support.h"

#include "cancelling.h"

static sem_t semaphore;

static void in_wait(void) {
  OK(sem_wait(&semaphore));
}
static void in_timedwait(void) {
  struct timespec until = after_ms(CLOCK_REALTIME, 1000000);
  OK(sem_timedwait(&semaphore, &until));
}
static void in_clockwait(void) {
  struct timespec until = after_ms(CLOCK_MONOTONIC, 1000000);
  OK(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until));
}

int main(void) {
  OK(sem_init(&semaphore, 0, 0));
  cancel_in("sem_wait", in_wait);
  cancel_in("sem_timedwait", in_timedwait);
  cancel_in("sem_clockwait", in_clockwait);
  OK(sem_post(&semaphore));
  OK(sem_trywait(&semaphore));
  say("the token is there\n");
  return 0;
}
