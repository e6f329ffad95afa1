// SPDX-License-Identifier: Apache-2.0
// poll without timeout waits for a pipe, sockets, an eventfd and a timerfd to become readable.
#include "../io_support.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

static void* write_later(void* fd) {
  let_it_block();
  const uint64_t one = 1;
  write_all(*(int*)fd, &one, sizeof one);
  return NULL;
}

static void wait_on(const char* kind, int reading, int writing) {
  const pthread_t writer = start(write_later, &writing);
  struct pollfd wanted = {.fd = reading, .events = POLLIN};
  CHECK(poll(&wanted, 1, -1) == 1);
  printf("%s: POLLIN only %d\n", kind, wanted.revents == POLLIN);
  finish(writer);
  close(reading);
  if (writing != reading) close(writing);
}

static void body(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  wait_on("pipe", ends[0], ends[1]);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  wait_on("unix", ends[0], ends[1]);
  tcp_pair(ends);
  wait_on("tcp", ends[0], ends[1]);
  const int event = eventfd(0, 0);
  wait_on("eventfd", event, event);
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const struct itimerspec soon = {.it_value = timespec_of_ns(20 * MILLISECOND_NS)};
  CHECK(timerfd_settime(timer, 0, &soon, NULL) == 0);
  struct pollfd wanted = {.fd = timer, .events = POLLIN};
  show("timerfd", poll(&wanted, 1, -1));
  close(timer);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
