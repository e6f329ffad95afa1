// SPDX-License-Identifier: Apache-2.0
// A signalfd in poll and epoll is ready for a queued signal of the process, and gives it with its
// value, in the order of sending.

#include "support.h"

#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

static void* send_three(void* argument) {
  for (int i = 1; i <= 3; ++i) {
    sleep_ms(5);
    OK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = i}));
  }
  return argument;
}

static void* take_three(void* argument) {
  const int epoll = argument != NULL ? epoll_create1(0) : -1;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 1);
  const int fd = signalfd(-1, &set, SFD_NONBLOCK);
  CHECK(fd >= 0);
  struct epoll_event event = {.events = EPOLLIN};
  if (epoll >= 0) OK(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
  pthread_t sender = start(send_three, NULL);
  for (int i = 1; i <= 3; ++i) {
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    if (epoll >= 0) CHECK(epoll_wait(epoll, &event, 1, -1) == 1);
    if (epoll < 0) CHECK(poll(&wanted, 1, -1) == 1);
    struct signalfd_siginfo information;
    CHECK(read(fd, &information, sizeof information) == sizeof information);
    CHECK(information.ssi_int == i && information.ssi_pid == (uint32_t)getpid());
  }
  join(sender);
  if (epoll >= 0) close(epoll);
  close(fd);
  return NULL;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 1);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  join(start(take_three, NULL));
  join(start(take_three, &set));
  take_three(&set);
  say("in order, with their values\n");
  return 0;
}
