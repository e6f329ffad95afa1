// SPDX-License-Identifier: Apache-2.0
// A thread that cancels itself goes on until its next cancellation point.

#include "support.h"

static void* run(void* argument) {
  OK(pthread_cancel(pthread_self()));
  volatile int sum = 0;
  for (int i = 0; i < 1000; ++i) sum += i;
  *(int*)argument = sum;
  sleep(1000);
  return argument;
}

int main(void) {
  int sum = 0;
  say("cancelled: %d, ", join(start(run, &sum)) == PTHREAD_CANCELED);
  say("sum: %d\n", sum);
  return 0;
}
