// SPDX-License-Identifier: Apache-2.0
// Policies and priorities can be read and set per thread, and bad ones are refused.
#include "../io_support.h"

#include <sched.h>

static void* set_own(void* unused) {
  (void)unused;
  struct sched_param parameter = {.sched_priority = 0};
  show("batch", sched_setscheduler(0, SCHED_BATCH, &parameter));
  sleep_ms(1);
  printf("is batch %d\n", sched_getscheduler(0) == SCHED_BATCH);
  int policy = -1;
  CHECK(pthread_getschedparam(pthread_self(), &policy, &parameter) == 0);
  printf("is batch %d, priority %d\n", policy == SCHED_BATCH, parameter.sched_priority);
  printf("other %d\n", pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameter));
  printf("is other %d\n", sched_getscheduler(0) == SCHED_OTHER);
  parameter.sched_priority = 50;
  show("priority for other", sched_setscheduler(0, SCHED_OTHER, &parameter));
  show("unknown policy", sched_setscheduler(0, 99, &parameter));
  return NULL;
}

int main(void) {
  const int at_start = sched_getscheduler(0);
  finish(start(set_own, NULL));
  printf("main's untouched %d\n", sched_getscheduler(0) == at_start);
  printf("range %d to %d\n", sched_get_priority_min(SCHED_FIFO),
         sched_get_priority_max(SCHED_FIFO));
  struct timespec interval;
  show("interval", sched_rr_get_interval(0, &interval));
  show("no such thread", sched_getscheduler(1 << 30));
  return 0;
}
