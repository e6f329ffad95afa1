// SPDX-License-Identifier: Apache-2.0
// Descriptors that are born non-blocking (pipe2, eventfd, timerfd, socket) say EAGAIN.
#include "../io_support.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>

static void body(void) {
  uint64_t buffer;
  int ends[2];
  CHECK(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
  show("pipe2", read(ends[0], &buffer, sizeof buffer));
  close(ends[0]);
  close(ends[1]);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  show("socketpair", read(ends[0], &buffer, sizeof buffer));
  close(ends[0]);
  close(ends[1]);
  int fd = eventfd(0, EFD_NONBLOCK);
  show("eventfd", read(fd, &buffer, sizeof buffer));
  close(fd);
  fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  show("timerfd", read(fd, &buffer, sizeof buffer));
  close(fd);
  fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  show("udp", recv(fd, &buffer, sizeof buffer, 0));
  close(fd);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
