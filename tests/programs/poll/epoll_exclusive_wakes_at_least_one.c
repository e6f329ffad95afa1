// SPDX-License-Identifier: Apache-2.0
// With EPOLLEXCLUSIVE at least one of the waiting threads is woken for each byte.
#include "../io_support.h"

#include <sys/epoll.h>

enum { THREADS = 6, BYTES = 300 };
static int ends[2];
static atomic_int taken;

static void* wait_and_take(void* unused) {
  (void)unused;
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN | EPOLLEXCLUSIVE};
  CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
  for (;;) {
    CHECK(epoll_wait(epoll, &event, 1, -1) == 1);
    char byte;
    const ssize_t got = read(ends[0], &byte, 1);
    if (got == 0) break;
    CHECK(got == 1 || errno == EAGAIN);
    if (got == 1) atomic_fetch_add(&taken, 1);
  }
  close(epoll);
  return NULL;
}

int main(void) {
  CHECK(pipe(ends) == 0);
  CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) threads[i] = start(wait_and_take, NULL);
  let_it_block();
  for (int i = 1; i <= BYTES; ++i) {
    CHECK(write(ends[1], "x", 1) == 1);
    while (atomic_load(&taken) < i) sched_yield();
  }
  close(ends[1]);
  for (int i = 0; i < THREADS; ++i) finish(threads[i]);
  printf("%d bytes\n", atomic_load(&taken));
  return 0;
}
