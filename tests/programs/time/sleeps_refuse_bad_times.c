// SPDX-License-Identifier: Apache-2.0
// Sleeps with bad nanoseconds, negative times or unknown clocks fail with EINVAL and do not wait.
#include "../io_support.h"

static void show_code(const char* what, int code) {
  printf("%s: %s\n", what, code == 0 ? "0" : strerrorname_np(code));
}

static void body(void) {
  const struct timespec too_many = {.tv_nsec = 1000000000}, negative = {.tv_nsec = -1},
                        past = {.tv_sec = -1}, good = {0, 1000};
  show("too many nanoseconds", nanosleep(&too_many, NULL));
  show("negative nanoseconds", nanosleep(&negative, NULL));
  show("negative seconds", nanosleep(&past, NULL));
  show_code("too many, clock", clock_nanosleep(CLOCK_MONOTONIC, 0, &too_many, NULL));
  show_code("absolute", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &negative, NULL));
  errno = 0;
  show_code("own CPU clock", clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &good, NULL));
  show_code("unknown clock", clock_nanosleep(12345, 0, &good, NULL));
  printf("errno untouched %d\n", errno == 0);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
