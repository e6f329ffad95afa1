// SPDX-License-Identifier: Apache-2.0
// nanosleep, usleep and clock_nanosleep do not return early, alone or in fifty threads at once.
#include "../io_support.h"

static void body(void) {
  const struct timespec ten_ms = timespec_of_ns(10 * MILLISECOND_NS), zero = {0, 0};
  int64_t began = now_ns();
  CHECK(nanosleep(&ten_ms, NULL) == 0);
  CHECK(now_ns() - began >= 10 * MILLISECOND_NS);
  began = now_ns();
  CHECK(usleep(7000) == 0);
  CHECK(now_ns() - began >= 7 * MILLISECOND_NS);
  began = now_ns();
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &ten_ms, NULL) == 0);
  CHECK(now_ns() - began >= 10 * MILLISECOND_NS);
  began = now_ns();
  CHECK(clock_nanosleep(CLOCK_REALTIME, 0, &ten_ms, NULL) == 0);
  CHECK(now_ns() - began >= 10 * MILLISECOND_NS);
  CHECK(clock_nanosleep(CLOCK_BOOTTIME, 0, &ten_ms, NULL) == 0);
  CHECK(nanosleep(&zero, NULL) == 0 && usleep(0) == 0 && sleep(0) == 0);
}

static void* body_in_thread(void* unused) {
  (void)unused;
  body();
  return NULL;
}

int main(void) {
  in_main_and_thread(body);
  in_threads(50, body_in_thread);
  printf("none was early\n");
  return 0;
}
