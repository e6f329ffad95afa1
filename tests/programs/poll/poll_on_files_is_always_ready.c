// SPDX-License-Identifier: Apache-2.0
// Regular files are always ready for poll and select, and epoll refuses them with EPERM.
#include "../io_support.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

static void body(void) {
  const int file = temporary_file();
  struct pollfd wanted = {.fd = file, .events = POLLIN | POLLOUT};
  show("poll", poll(&wanted, 1, -1));
  printf("both %d\n", wanted.revents == (POLLIN | POLLOUT));
  fd_set reading, writing;
  FD_ZERO(&reading);
  FD_ZERO(&writing);
  FD_SET(file, &reading);
  FD_SET(file, &writing);
  show("select", select(file + 1, &reading, &writing, NULL, NULL));
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  show("epoll", epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event));
  close(epoll);
  close(file);
  const int null = open("/dev/null", O_RDWR);
  wanted.fd = null;
  show("null device", poll(&wanted, 1, -1));
  close(null);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
