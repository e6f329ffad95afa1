// SPDX-License-Identifier: Apache-2.0
// POLLRDHUP tells a waiting poll that the peer shut its writing half.
#include "../io_support.h"

#include <poll.h>

static int ends[2];

static void* shut_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(shutdown(ends[1], SHUT_WR) == 0);
  return NULL;
}

static void wait_for_half_close(void) {
  const pthread_t other = start(shut_later, NULL);
  struct pollfd wanted = {.fd = ends[0], .events = POLLRDHUP};
  CHECK(poll(&wanted, 1, -1) == 1);
  printf("POLLRDHUP %d\n", wanted.revents == POLLRDHUP);
  finish(other);
  wanted.events = POLLIN | POLLOUT | POLLRDHUP;
  CHECK(poll(&wanted, 1, 0) == 1);
  printf("all %d\n", wanted.revents == (POLLIN | POLLOUT | POLLRDHUP));
  close(ends[0]);
  close(ends[1]);
}

static void body(void) {
  tcp_pair(ends);
  wait_for_half_close();
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  wait_for_half_close();
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
