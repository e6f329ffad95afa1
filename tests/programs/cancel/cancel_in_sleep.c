// SPDX-License-Identifier: Apache-2.0
// sleep, usleep, nanosleep, clock_nanosleep and pause are cancellation points.

#include "support.h"

#include "cancelling.h"

static void in_sleep(void) {
  sleep(1000);
}
static void in_usleep(void) {
  for (;;) usleep(900000);
}
static void in_nanosleep(void) {
  nanosleep(&(struct timespec){1000, 0}, NULL);
}
static void in_clock_nanosleep(void) {
  struct timespec until = after_ms(CLOCK_MONOTONIC, 1000000);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}
static void in_pause(void) {
  pause();
}

int main(void) {
  cancel_in("sleep", in_sleep);
  cancel_in("usleep", in_usleep);
  cancel_in("nanosleep", in_nanosleep);
  cancel_in("clock_nanosleep", in_clock_nanosleep);
  cancel_in("pause", in_pause);
  return 0;
}
