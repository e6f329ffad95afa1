// SPDX-License-Identifier: Apache-2.0
// poll, select and epoll_wait fail with EINTR after a handler, even one with SA_RESTART.
#include "../io_support.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

static int ends[2];
static atomic_bool returned;

static void* wait_in_poll(void* unused) {
  (void)unused;
  struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
  show("poll", poll(&wanted, 1, -1));
  atomic_store(&returned, true);
  return NULL;
}

static void* wait_in_select(void* unused) {
  (void)unused;
  fd_set readable;
  FD_ZERO(&readable);
  FD_SET(ends[0], &readable);
  show("select", select(ends[0] + 1, &readable, NULL, NULL, NULL));
  atomic_store(&returned, true);
  return NULL;
}

static void* wait_in_epoll(void* unused) {
  (void)unused;
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
  show("epoll_wait", epoll_wait(epoll, &event, 1, -1));
  atomic_store(&returned, true);
  close(epoll);
  return NULL;
}

static void* wait_in_empty_poll(void* unused) {
  (void)unused;
  show("empty poll", poll(NULL, 0, -1));
  atomic_store(&returned, true);
  return NULL;
}

static void interrupt(void* (*wait)(void*)) {
  atomic_store(&returned, false);
  const pthread_t waiter = start(wait, NULL);
  // A signal that comes before the call waits is lost on it, hence more than one.
  while (!atomic_load(&returned)) {
    sleep_ms(20);
    if (!atomic_load(&returned)) CHECK(pthread_kill(waiter, SIGUSR1) == 0);
  }
  finish(waiter);
}

int main(void) {
  CHECK(pipe(ends) == 0);
  handle_signal(SIGUSR1, ignore_signal, SA_RESTART);
  interrupt(wait_in_poll);
  interrupt(wait_in_select);
  interrupt(wait_in_epoll);
  interrupt(wait_in_empty_poll);
  return 0;
}
