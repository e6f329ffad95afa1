// SPDX-License-Identifier: Apache-2.0
// POLLHUP, POLLERR and POLLNVAL are told without being asked for, also to a waiting poll.
#include "../io_support.h"

#include <poll.h>

static int ends[2];

static void* close_later(void* fd) {
  let_it_block();
  close(*(int*)fd);
  return NULL;
}

static void body(void) {
  CHECK(pipe(ends) == 0);
  pthread_t closer = start(close_later, &ends[1]);
  struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
  CHECK(poll(&wanted, 1, -1) == 1);
  printf("writer closed: POLLHUP %d\n", wanted.revents == POLLHUP);
  finish(closer);
  close(ends[0]);

  CHECK(pipe(ends) == 0);
  closer = start(close_later, &ends[0]);
  wanted = (struct pollfd){.fd = ends[1], .events = 0};
  CHECK(poll(&wanted, 1, -1) == 1);
  printf("reader closed: POLLERR %d\n", wanted.revents == POLLERR);
  finish(closer);
  close(ends[1]);

  wanted = (struct pollfd){.fd = ends[1], .events = POLLIN};
  show("closed", poll(&wanted, 1, -1));
  printf("POLLNVAL %d\n", wanted.revents == POLLNVAL);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  close(ends[1]);
  wanted = (struct pollfd){.fd = ends[0], .events = POLLIN | POLLOUT};
  show("peer closed", poll(&wanted, 1, -1));
  printf("POLLIN %d POLLHUP %d\n", (wanted.revents & POLLIN) != 0, (wanted.revents & POLLHUP) != 0);
  close(ends[0]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
