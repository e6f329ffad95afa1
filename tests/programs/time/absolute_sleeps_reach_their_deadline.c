// SPDX-License-Identifier: Apache-2.0
// clock_nanosleep with TIMER_ABSTIME sleeps until the deadline, and not at all when it is past.
#include "../io_support.h"

static void sleep_until(clockid_t clock, int64_t from_now_ns) {
  const int64_t deadline_ns = clock_ns(clock) + from_now_ns;
  const struct timespec deadline = timespec_of_ns(deadline_ns);
  CHECK(clock_nanosleep(clock, TIMER_ABSTIME, &deadline, NULL) == 0);
  CHECK(clock_ns(clock) >= deadline_ns);
}

static void body(void) {
  const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME};
  for (int i = 0; i < 3; ++i) {
    sleep_until(clocks[i], 15 * MILLISECOND_NS);
    sleep_until(clocks[i], 0);
    sleep_until(clocks[i], -1000 * MILLISECOND_NS);
  }
  const struct timespec long_ago = {1, 0};
  CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &long_ago, NULL) == 0);
  printf("reached\n");
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
