// SPDX-License-Identifier: Apache-2.0
// poll, select and epoll_wait fail with EINTR after a handler, also one with SA_RESTART.

#include "support.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>

static int ends[2], epoll_set;
static atomic_int finished;

static void handle(int number) {
  (void)number;
}

static void tell(const char* name, int result) {
  say("%s: %d %s\n", name, result, error_name(errno));
  atomic_store(&finished, 1);
}
static void* in_poll(void* argument) {
  struct pollfd one = {ends[0], POLLIN, 0};
  tell("poll", poll(&one, 1, 1000000));
  return argument;
}
static void* in_select(void* argument) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  tell("select", select(ends[0] + 1, &set, NULL, NULL, NULL));
  return argument;
}
static void* in_epoll_wait(void* argument) {
  struct epoll_event event;
  tell("epoll_wait", epoll_wait(epoll_set, &event, 1, -1));
  return argument;
}

static void disturb(void* (*function)(void*)) {
  atomic_store(&finished, 0);
  pthread_t thread = start(function, NULL);
  while (!atomic_load(&finished)) {
    OK(pthread_kill(thread, SIGUSR1));
    sleep_ms(5);
  }
  join(thread);
}

int main(void) {
  OK(pipe(ends));
  epoll_set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  OK(epoll_ctl(epoll_set, EPOLL_CTL_ADD, ends[0], &event));
  on_signal(SIGUSR1, handle, SA_RESTART);
  disturb(in_poll);
  disturb(in_select);
  disturb(in_epoll_wait);
  return 0;
}
