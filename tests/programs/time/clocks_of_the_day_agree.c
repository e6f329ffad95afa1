// SPDX-License-Identifier: Apache-2.0
// time, gettimeofday, timespec_get and clock_gettime tell the same time of day in every thread.
#include "../io_support.h"

#include <sys/time.h>

static void* compare(void* unused) {
  (void)unused;
  for (int i = 0; i < 200; ++i) {
    struct timeval day;
    struct timespec c11;
    const int64_t before = clock_ns(CLOCK_REALTIME);
    CHECK(gettimeofday(&day, NULL) == 0);
    CHECK(timespec_get(&c11, TIME_UTC) == TIME_UTC);
    const time_t seconds = time(NULL);
    const int64_t after = clock_ns(CLOCK_REALTIME);
    const int64_t day_ns = (int64_t)day.tv_sec * 1000000000 + day.tv_usec * 1000;
    const int64_t c11_ns = (int64_t)c11.tv_sec * 1000000000 + c11.tv_nsec;
    CHECK(day_ns >= before - 1000 && day_ns <= after);
    CHECK(c11_ns >= before && c11_ns <= after);
    // time() reads a clock that is up to a tick behind.
    CHECK(seconds >= before / 1000000000 - 1 && seconds <= after / 1000000000);
    if (i % 50 == 0) sched_yield();
  }
  return NULL;
}

int main(void) {
  compare(NULL);
  in_threads(8, compare);
  printf("agree\n");
  return 0;
}
