// SPDX-License-Identifier: Apache-2.0
// EPOLLONESHOT gives each event to one of several waiting threads and is silent until rearmed.
#include "../io_support.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

enum { THREADS = 4, EVENTS = 500 };
static int epoll, event_fd;
static atomic_int inside, taken;

static void* handle_events(void* unused) {
  (void)unused;
  struct epoll_event event;
  for (;;) {
    CHECK(epoll_wait(epoll, &event, 1, -1) == 1);
    CHECK(atomic_fetch_add(&inside, 1) == 0);
    const bool done = atomic_load(&taken) >= EVENTS;
    if (!done) {
      eventfd_t value;
      CHECK(eventfd_read(event_fd, &value) == 0);
      CHECK(value == 1);
      atomic_fetch_add(&taken, 1);
    }
    sched_yield();
    CHECK(atomic_fetch_sub(&inside, 1) == 1);
    event.events = EPOLLIN | EPOLLONESHOT;
    CHECK(epoll_ctl(epoll, EPOLL_CTL_MOD, event_fd, &event) == 0);
    if (done) return NULL;
  }
}

int main(void) {
  epoll = epoll_create1(0);
  event_fd = eventfd(0, EFD_SEMAPHORE);
  struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
  CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, event_fd, &event) == 0);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) threads[i] = start(handle_events, NULL);
  let_it_block();
  // One unit more than is taken stays readable and lets every thread see that it is done.
  for (int i = 0; i < EVENTS + 1; ++i) CHECK(eventfd_write(event_fd, 1) == 0);
  for (int i = 0; i < THREADS; ++i) finish(threads[i]);
  printf("%d events\n", atomic_load(&taken));
  return 0;
}
