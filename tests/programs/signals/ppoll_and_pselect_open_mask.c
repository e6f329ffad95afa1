// SPDX-License-Identifier: Apache-2.0
// ppoll, pselect and epoll_pwait deliver a pending blocked signal that their mask opens, and
// restore the mask.

#include "support.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

static _Thread_local volatile sig_atomic_t handled;

static void handle(int number) {
  (void)number;
  ++handled;
}

static void tell(const char* name, int result, int error) {
  sigset_t mask;
  OK(pthread_sigmask(SIG_SETMASK, NULL, &mask));
  say("%s: %d %s, handled %d, blocked again %d\n", name, result, error_name(error), (int)handled,
      sigismember(&mask, SIGUSR1));
}

static void* run(void* argument) {
  sigset_t set = only(SIGUSR1), none;
  sigemptyset(&none);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  int ends[2];
  OK(pipe(ends));
  struct pollfd one = {ends[0], POLLIN, 0};
  OK(raise(SIGUSR1));
  int result = ppoll(&one, 1, &(struct timespec){20, 0}, &none);
  tell("ppoll", result, errno);
  fd_set reading;
  FD_ZERO(&reading);
  FD_SET(ends[0], &reading);
  OK(raise(SIGUSR1));
  result = pselect(ends[0] + 1, &reading, NULL, NULL, &(struct timespec){20, 0}, &none);
  tell("pselect", result, errno);
  int epoll_set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  OK(epoll_ctl(epoll_set, EPOLL_CTL_ADD, ends[0], &event));
  OK(raise(SIGUSR1));
  result = epoll_pwait(epoll_set, &event, 1, 20000, &none);
  tell("epoll_pwait", result, errno);
  close(ends[0]);
  close(ends[1]);
  close(epoll_set);
  return argument;
}

int main(void) {
  on_signal(SIGUSR1, handle, 0);
  run(NULL);
  join(start(run, NULL));
  return 0;
}
