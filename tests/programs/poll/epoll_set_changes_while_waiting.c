// SPDX-License-Identifier: Apache-2.0
// Descriptors that are added to a set while a thread waits in epoll_wait wake it.
#include "../io_support.h"

#include <sys/epoll.h>

static int epoll, ends[2];

static void* wait_for_event(void* unused) {
  (void)unused;
  struct epoll_event event;
  const int ready = epoll_wait(epoll, &event, 1, -1);
  return (void*)(intptr_t)(ready == 1 ? event.data.fd : -1);
}

int main(void) {
  epoll = epoll_create1(0);
  int right = 0;
  for (int round = 0; round < 20; ++round) {
    CHECK(pipe(ends) == 0);
    CHECK(write(ends[1], "x", 1) == 1);
    const pthread_t waiter = start(wait_for_event, NULL);
    sleep_ms(3);
    struct epoll_event event = {.events = 0, .data.fd = ends[0]};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
    if (round % 2 == 0) {
      sleep_ms(3);
      event.events = EPOLLIN;
      CHECK(epoll_ctl(epoll, EPOLL_CTL_MOD, ends[0], &event) == 0);
    } else {
      CHECK(epoll_ctl(epoll, EPOLL_CTL_DEL, ends[0], NULL) == 0);
      event.events = EPOLLIN;
      CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
    }
    right += (int)(intptr_t)finish(waiter) == ends[0];
    close(ends[0]);
    close(ends[1]);
  }
  printf("%d of 20 woken\n", right);
  return 0;
}
