// SPDX-License-Identifier: Apache-2.0
// An epoll descriptor can itself be waited on, by another epoll and by poll.
#include "../io_support.h"

#include <poll.h>
#include <sys/epoll.h>

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "x", 1) == 1);
  return NULL;
}

static void body(void) {
  char byte;
  CHECK(pipe(ends) == 0);
  const int inner = epoll_create1(0), outer = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = ends[0]};
  CHECK(epoll_ctl(inner, EPOLL_CTL_ADD, ends[0], &event) == 0);
  event = (struct epoll_event){.events = EPOLLIN, .data.fd = inner};
  CHECK(epoll_ctl(outer, EPOLL_CTL_ADD, inner, &event) == 0);
  pthread_t writer = start(write_later, NULL);
  show("outer", epoll_wait(outer, &event, 1, -1));
  printf("inner is ready %d\n", event.data.fd == inner);
  show("inner", epoll_wait(inner, &event, 1, 0));
  printf("pipe is ready %d\n", event.data.fd == ends[0]);
  finish(writer);
  CHECK(read(ends[0], &byte, 1) == 1);
  show("outer", epoll_wait(outer, &event, 1, 0));
  writer = start(write_later, NULL);
  struct pollfd wanted = {.fd = outer, .events = POLLIN};
  show("poll", poll(&wanted, 1, -1));
  finish(writer);
  show("circle", epoll_ctl(inner, EPOLL_CTL_ADD, outer, &event));
  close(inner);
  close(outer);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
