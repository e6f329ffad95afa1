// SPDX-License-Identifier: Apache-2.0
// epoll and poll wait on a signalfd and an inotify descriptor until a thread makes them ready.
#include "../io_support.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>

static void* send_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(kill(getpid(), SIGUSR1) == 0);
  return NULL;
}

static void* create_later(void* unused) {
  (void)unused;
  let_it_block();
  close(open("new", O_CREAT | O_WRONLY, 0600));
  return NULL;
}

static void body(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  const int signal_fd = signalfd(-1, &signals, SFD_NONBLOCK), changes = inotify_init1(IN_NONBLOCK);
  CHECK(inotify_add_watch(changes, ".", IN_CREATE) >= 0);
  pthread_t other = start(create_later, NULL);
  struct pollfd wanted[2] = {{signal_fd, POLLIN, 0}, {changes, POLLIN, 0}};
  show("poll", poll(wanted, 2, -1));
  printf("signal %d change %d\n", wanted[0].revents, wanted[1].revents);
  finish(other);
  char events[4096];
  CHECK(read(changes, events, sizeof events) > 0);
  CHECK(unlink("new") == 0);
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = signal_fd};
  CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, signal_fd, &event) == 0);
  event.data.fd = changes;
  CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, changes, &event) == 0);
  other = start(send_later, NULL);
  show("epoll", epoll_wait(epoll, &event, 1, -1));
  printf("signal %d\n", event.data.fd == signal_fd);
  finish(other);
  struct signalfd_siginfo info;
  CHECK(read(signal_fd, &info, sizeof info) == sizeof info);
  close(epoll);
  close(signal_fd);
  close(changes);
}

int main(void) {
  enter_temporary_directory();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  CHECK(pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0);
  in_main_and_thread(body);
  return 0;
}
