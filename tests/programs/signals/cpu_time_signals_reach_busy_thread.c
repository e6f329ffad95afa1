// SPDX-License-Identifier: Apache-2.0
// ITIMER_PROF interrupts threads that compute, whichever they are, and leaves their results right.

#include "support.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/time.h>

static atomic_int ticks;

static void handle(int number) {
  (void)number;
  atomic_fetch_add(&ticks, 1);
}
static void* compute(void* argument) {
  uint64_t value = (uint64_t)(uintptr_t)argument, checked = value;
  double sum = 0, again = 0;
  while (atomic_load(&ticks) < 10) {
    for (int i = 0; i < 1000; ++i) {
      value = value * 6364136223846793005U + 1442695040888963407U;
      sum += (double)(value >> 40);
    }
    for (int i = 0; i < 1000; ++i) {
      checked = checked * 6364136223846793005U + 1442695040888963407U;
      again += (double)(checked >> 40);
    }
    CHECK(value == checked && sum == again);
  }
  return NULL;
}

int main(void) {
  on_signal(SIGPROF, handle, SA_RESTART);
  struct itimerval period = {{0, 4000}, {0, 4000}}, never = {{0, 0}, {0, 0}};
  OK(setitimer(ITIMER_PROF, &period, NULL));
  pthread_t threads[4];
  for (uintptr_t i = 0; i < 4; ++i) threads[i] = start(compute, (void*)(i + 1));
  for (int i = 0; i < 4; ++i) join(threads[i]);
  OK(setitimer(ITIMER_PROF, &never, NULL));
  say("ten ticks, right results\n");
  return 0;
}
