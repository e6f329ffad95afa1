// SPDX-License-Identifier: Apache-2.0
// epoll_ctl and epoll_wait fail with the right errors for every wrong use.
#include "../io_support.h"

#include <sys/epoll.h>

static void body(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  show("add", epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event));
  show("add twice", epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event));
  show("modify absent", epoll_ctl(epoll, EPOLL_CTL_MOD, ends[1], &event));
  show("delete absent", epoll_ctl(epoll, EPOLL_CTL_DEL, ends[1], NULL));
  show("delete", epoll_ctl(epoll, EPOLL_CTL_DEL, ends[0], NULL));
  show("itself", epoll_ctl(epoll, EPOLL_CTL_ADD, epoll, &event));
  show("closed descriptor", epoll_ctl(epoll, EPOLL_CTL_ADD, 1 << 20, &event));
  show("closed epoll", epoll_ctl(1 << 20, EPOLL_CTL_ADD, ends[0], &event));
  show("no epoll", epoll_ctl(ends[0], EPOLL_CTL_ADD, ends[1], &event));
  show("unknown operation", epoll_ctl(epoll, 99, ends[0], &event));
  volatile int count = 0;
  show("wait for none", epoll_wait(epoll, &event, count, 0));
  show("wait on no epoll", epoll_wait(ends[0], &event, 1, 0));
  show("wait on a closed one", epoll_wait(1 << 20, &event, 1, 0));
  show("bad size", epoll_create(0));
  show("bad flags", epoll_create1(12345));
  close(epoll);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
