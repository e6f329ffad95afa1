// SPDX-License-Identifier: Apache-2.0
// nice and setpriority change the calling thread's niceness as Linux does: only its own.
#include "../io_support.h"

#include <sys/resource.h>

static int at_start;

static void* be_nicer(void* unused) {
  (void)unused;
  errno = 0;
  printf("by nice %d\n", nice(3) - at_start);
  sleep_ms(1);
  printf("own %d\n", getpriority(PRIO_PROCESS, 0) - at_start);
  CHECK(setpriority(PRIO_PROCESS, 0, at_start + 5) == 0);
  sched_yield();
  printf("own %d\n", getpriority(PRIO_PROCESS, 0) - at_start);
  printf("by its id %d\n", getpriority(PRIO_PROCESS, (id_t)gettid()) - at_start);
  errno = 0;
  show("no such process", getpriority(PRIO_PROCESS, 1 << 30) == -1 && errno != 0 ? -1 : 0);
  return NULL;
}

int main(void) {
  errno = 0;
  at_start = getpriority(PRIO_PROCESS, 0);
  // Above 14 there would be no room for five more.
  CHECK(errno == 0 && at_start <= 14);
  finish(start(be_nicer, NULL));
  printf("main's %d\n", getpriority(PRIO_PROCESS, 0) - at_start);
  return 0;
}
