// SPDX-License-Identifier: Apache-2.0
// An eventfd and a timerfd in an epoll set wake the thread that waits in epoll_wait.
#include "../io_support.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

static int event_fd;

static void* signal_later(void* unused) {
  (void)unused;
  for (int i = 0; i < 5; ++i) {
    sleep_ms(5);
    CHECK(eventfd_write(event_fd, 1) == 0);
  }
  return NULL;
}

static void body(void) {
  const int epoll = epoll_create(1);
  event_fd = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = event_fd};
  CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, event_fd, &event) == 0);
  event.data.fd = timer;
  CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) == 0);
  const pthread_t signaller = start(signal_later, NULL);
  const struct itimerspec soon = {.it_value = timespec_of_ns(12 * MILLISECOND_NS)};
  CHECK(timerfd_settime(timer, 0, &soon, NULL) == 0);
  int events = 0, expiries = 0;
  while (events < 5 || expiries < 1) {
    CHECK(epoll_wait(epoll, &event, 1, -1) == 1);
    uint64_t value;
    CHECK(read(event.data.fd, &value, sizeof value) == sizeof value);
    if (event.data.fd == timer) ++expiries;
    if (event.data.fd == event_fd) ++events;
  }
  finish(signaller);
  printf("%d events, %d expiry\n", events, expiries);
  close(epoll);
  close(event_fd);
  close(timer);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
