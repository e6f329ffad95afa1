// SPDX-License-Identifier: Apache-2.0
// FUTEX_WAIT ends after a relative, FUTEX_WAIT_BITSET at an absolute time, with ETIMEDOUT.
#include "futex.h"

static atomic_int word;

static void body(void) {
  const struct timespec twenty_ms = timespec_of_ns(20 * MILLISECOND_NS);
  int64_t began = now_ns();
  show("relative", futex(&word, FUTEX_WAIT_PRIVATE, 0, &twenty_ms, NULL, 0));
  CHECK(now_ns() - began >= 20 * MILLISECOND_NS);
  began = now_ns();
  show("relative, shared", futex(&word, FUTEX_WAIT, 0, &twenty_ms, NULL, 0));
  CHECK(now_ns() - began >= 20 * MILLISECOND_NS);
  began = now_ns();
  struct timespec deadline = timespec_of_ns(began + 20 * MILLISECOND_NS);
  show("absolute",
       futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &deadline, NULL, (int)FUTEX_BITSET_MATCH_ANY));
  CHECK(now_ns() - began >= 20 * MILLISECOND_NS);
  const int64_t real_began = clock_ns(CLOCK_REALTIME);
  deadline = timespec_of_ns(real_began + 20 * MILLISECOND_NS);
  show("absolute, time of day", futex(&word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0,
                                      &deadline, NULL, (int)FUTEX_BITSET_MATCH_ANY));
  CHECK(clock_ns(CLOCK_REALTIME) - real_began >= 20 * MILLISECOND_NS);
  deadline = timespec_of_ns(0);
  show("past",
       futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &deadline, NULL, (int)FUTEX_BITSET_MATCH_ANY));
  const struct timespec wrong = {.tv_nsec = 1000000000}, negative = {.tv_sec = -1};
  show("bad nanoseconds", futex(&word, FUTEX_WAIT_PRIVATE, 0, &wrong, NULL, 0));
  show("negative", futex(&word, FUTEX_WAIT_PRIVATE, 0, &negative, NULL, 0));
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
