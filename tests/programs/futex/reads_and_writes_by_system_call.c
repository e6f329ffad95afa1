// SPDX-License-Identifier: Apache-2.0
// syscall(SYS_read), SYS_write and others wait and fail as their functions do.
#include "futex.h"

#include <poll.h>

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(syscall(SYS_write, ends[1], "first", 5) == 5);
  let_it_block();
  CHECK(syscall(SYS_write, ends[1], "second", 6) == 6);
  return NULL;
}

static void body(void) {
  char text[16] = "";
  CHECK(pipe(ends) == 0);
  const pthread_t writer = start(write_later, NULL);
  show("read", syscall(SYS_read, ends[0], text, sizeof text));
  struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
  const struct timespec long_time = {.tv_sec = 1000};
  show("ppoll", syscall(SYS_ppoll, &wanted, 1, &long_time, NULL, 8));
  show("read", syscall(SYS_read, ends[0], text, sizeof text));
  finish(writer);
  show("bad descriptor", syscall(SYS_read, -1, text, 1));
  show("bad buffer", syscall(SYS_write, ends[1], (void*)8, 1));
  show("no such call", syscall(123456));
  const struct timespec nap = timespec_of_ns(10 * MILLISECOND_NS);
  const int64_t began = now_ns();
  show("nanosleep", syscall(SYS_nanosleep, &nap, NULL));
  CHECK(now_ns() - began >= 10 * MILLISECOND_NS);
  show("yield", syscall(SYS_sched_yield));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
