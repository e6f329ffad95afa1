// SPDX-License-Identifier: Apache-2.0
// Level-triggered epoll_wait waits for data and reports it until it has been read.
#include "../io_support.h"

#include <sys/epoll.h>

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "ab", 2) == 2);
  return NULL;
}

static void body(void) {
  CHECK(pipe(ends) == 0);
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0x1234567890};
  CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
  show("empty", epoll_wait(epoll, &event, 1, 0));
  const pthread_t writer = start(write_later, NULL);
  show("waited", epoll_wait(epoll, &event, 1, -1));
  printf("EPOLLIN %d data %llx\n", event.events == EPOLLIN, (unsigned long long)event.data.u64);
  finish(writer);
  char byte;
  for (int i = 0; i < 2; ++i) {
    show("still", epoll_wait(epoll, &event, 1, 0));
    CHECK(read(ends[0], &byte, 1) == 1);
  }
  show("empty again", epoll_wait(epoll, &event, 1, 0));
  close(ends[1]);
  show("hang-up", epoll_wait(epoll, &event, 1, -1));
  printf("EPOLLHUP %d\n", event.events == EPOLLHUP);
  close(ends[0]);
  show("closed leaves the set", epoll_wait(epoll, &event, 1, 10));
  close(epoll);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
