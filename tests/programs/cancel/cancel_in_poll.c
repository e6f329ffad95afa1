// SPDX-License-Identifier: Apache-2.0
// poll, ppoll, select, pselect and epoll_wait are cancellation points.

#include "support.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "cancelling.h"

static int ends[2], epoll_set;

static void in_poll(void) {
  struct pollfd one = {ends[0], POLLIN, 0};
  CHECK(poll(&one, 1, -1) == 99);
}
static void in_poll_of_nothing(void) {
  CHECK(poll(NULL, 0, 1000000) == 99);
}
static void in_ppoll(void) {
  struct pollfd one = {ends[0], POLLIN, 0};
  CHECK(ppoll(&one, 1, NULL, NULL) == 99);
}
static void in_select(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  CHECK(select(ends[0] + 1, &set, NULL, NULL, NULL) == 99);
}
static void in_pselect(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  CHECK(pselect(ends[0] + 1, &set, NULL, NULL, NULL, NULL) == 99);
}
static void in_epoll_wait(void) {
  struct epoll_event event;
  CHECK(epoll_wait(epoll_set, &event, 1, -1) == 99);
}

int main(void) {
  OK(pipe(ends));
  epoll_set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  OK(epoll_ctl(epoll_set, EPOLL_CTL_ADD, ends[0], &event));
  cancel_in("poll", in_poll);
  cancel_in("poll of nothing", in_poll_of_nothing);
  cancel_in("ppoll", in_ppoll);
  cancel_in("select", in_select);
  cancel_in("pselect", in_pselect);
  cancel_in("epoll_wait", in_epoll_wait);
  return 0;
}
