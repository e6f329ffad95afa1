// SPDX-License-Identifier: Apache-2.0
// Every call that makes a descriptor gives the lowest number that is free, with threads or without.

#include "busy.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

static void* look(void* argument) {
  int ends[2], pair[2];
  int file = open("/dev/null", O_RDWR);
  OK(pipe(ends));
  OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  int events = eventfd(0, 0), epoll = epoll_create1(0), copy = dup(file);
  say("%d, %d %d, %d %d, %d, %d, %d\n", file, ends[0], ends[1], pair[0], pair[1], events, epoll,
      copy);
  OK(close(ends[0]));
  say("%d\n", dup(file));
  say("%d %d\n", fcntl(file, F_DUPFD, 20), fcntl(file, F_DUPFD, 20));
  OK(close(STDIN_FILENO));
  say("%d\n", open("/dev/null", O_RDONLY));
  closefrom(3);
  return argument;
}

int main(void) {
  look(NULL);
  join(start(look, NULL));
  look(NULL);
  return 0;
}
