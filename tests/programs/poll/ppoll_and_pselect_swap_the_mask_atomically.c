// SPDX-License-Identifier: Apache-2.0
// ppoll, pselect and epoll_pwait unblock a signal only while they wait: none is lost or comes
// early.
#include "../io_support.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

enum { ROUNDS = 30 };
static pthread_t waiter;
static atomic_int handled, sent;

static void count(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}

static void* send_signals(void* unused) {
  (void)unused;
  for (int i = 1; i <= 4 * ROUNDS; ++i) {
    CHECK(pthread_kill(waiter, SIGUSR1) == 0);
    atomic_store(&sent, i);
    while (atomic_load(&handled) < i) {
      if (i % 10 == 0) sleep_ms(1);
      sched_yield();
    }
  }
  return NULL;
}

static void* wait_for_signals(void* unused) {
  (void)unused;
  sigset_t blocked, open;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  CHECK(pthread_sigmask(SIG_BLOCK, &blocked, &open) == 0);
  sigdelset(&open, SIGUSR1);
  waiter = pthread_self();
  const int epoll = epoll_create1(0);
  const pthread_t sender = start(send_signals, NULL);
  struct epoll_event event;
  int interrupted = 0;
  for (int i = 1; i <= 4 * ROUNDS; ++i) {
    if (i % 3 == 0) {
      while (atomic_load(&sent) < i) sched_yield();
      CHECK(atomic_load(&handled) == i - 1);
    }
    int result = 0;
    if (i % 4 == 0) result = ppoll(NULL, 0, NULL, &open);
    if (i % 4 == 1) result = pselect(0, NULL, NULL, NULL, NULL, &open);
    if (i % 4 == 2) result = epoll_pwait(epoll, &event, 1, -1, &open);
    if (i % 4 == 3) result = epoll_pwait2(epoll, &event, 1, NULL, &open);
    interrupted += result == -1 && errno == EINTR;
    CHECK(atomic_load(&handled) == i);
    sigset_t now;
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
    CHECK(sigismember(&now, SIGUSR1) == 1);
  }
  finish(sender);
  close(epoll);
  printf("%d interrupted\n", interrupted);
  return NULL;
}

int main(void) {
  handle_signal(SIGUSR1, count, 0);
  finish(start(wait_for_signals, NULL));
  atomic_store(&handled, 0);
  atomic_store(&sent, 0);
  wait_for_signals(NULL);
  return 0;
}
