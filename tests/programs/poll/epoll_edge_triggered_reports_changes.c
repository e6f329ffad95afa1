// SPDX-License-Identifier: Apache-2.0
// Edge-triggered epoll_wait reports each arrival once, read or not.
#include "../io_support.h"

#include <sys/epoll.h>

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "x", 1) == 1);
  return NULL;
}

static void body(void) {
  CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN | EPOLLET};
  CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
  for (int i = 0; i < 3; ++i) {
    const pthread_t writer = start(write_later, NULL);
    show("arrival", epoll_wait(epoll, &event, 1, -1));
    finish(writer);
    show("not again", epoll_wait(epoll, &event, 1, 10));
  }
  char bytes[8];
  show("read", read(ends[0], bytes, sizeof bytes));
  event.events = EPOLLIN | EPOLLET;
  CHECK(write(ends[1], "y", 1) == 1);
  show("new arrival", epoll_wait(epoll, &event, 1, -1));
  event.events = EPOLLIN | EPOLLET;
  show("modified", epoll_ctl(epoll, EPOLL_CTL_MOD, ends[0], &event));
  show("reported once more", epoll_wait(epoll, &event, 1, -1));
  close(ends[0]);
  close(ends[1]);
  close(epoll);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
