// SPDX-License-Identifier: Apache-2.0
// A timerfd read waits for the first expiry, never returns early, and counts missed periods.
#include "../io_support.h"

#include <sys/timerfd.h>

static void body(void) {
  const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  const int64_t began = now_ns();
  struct itimerspec once = {.it_value = timespec_of_ns(40 * MILLISECOND_NS)};
  CHECK(timerfd_settime(fd, 0, &once, NULL) == 0);
  uint64_t expiries = 0;
  show("once", read(fd, &expiries, sizeof expiries));
  CHECK(now_ns() - began >= 40 * MILLISECOND_NS);
  printf("%llu expiry\n", (unsigned long long)expiries);

  struct itimerspec periodic = {.it_interval = timespec_of_ns(5 * MILLISECOND_NS),
                                .it_value = timespec_of_ns(5 * MILLISECOND_NS)};
  CHECK(timerfd_settime(fd, 0, &periodic, NULL) == 0);
  sleep_ms(40);
  show("periodic", read(fd, &expiries, sizeof expiries));
  CHECK(expiries >= 7);
  show("next period", read(fd, &expiries, sizeof expiries));
  CHECK(expiries >= 1);

  const struct itimerspec absolute = {.it_value = timespec_of_ns(now_ns() + 30 * MILLISECOND_NS)};
  CHECK(timerfd_settime(fd, TFD_TIMER_ABSTIME, &absolute, NULL) == 0);
  show("absolute", read(fd, &expiries, sizeof expiries));
  CHECK(now_ns() >= (int64_t)absolute.it_value.tv_sec * 1000000000 + absolute.it_value.tv_nsec);
  show("short buffer", read(fd, &expiries, 4));
  close(fd);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
