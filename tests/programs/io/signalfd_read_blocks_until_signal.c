// SPDX-License-Identifier: Apache-2.0
// A signalfd read in a thread waits for a blocked signal sent to the process or to that thread.
#include "../io_support.h"

#include <sys/signalfd.h>

static pthread_t reader;

static void* send_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(kill(getpid(), SIGUSR1) == 0);
  let_it_block();
  CHECK(pthread_kill(reader, SIGUSR2) == 0);
  return NULL;
}

static void* take(void* argument) {
  const int fd = *(int*)argument;
  for (int i = 0; i < 2; ++i) {
    struct signalfd_siginfo info;
    show("read", read(fd, &info, sizeof info));
    printf("signal %u from us: %d\n", info.ssi_signo, info.ssi_pid == (uint32_t)getpid());
  }
  return NULL;
}

int main(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGUSR2);
  CHECK(pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0);
  int fd = signalfd(-1, &signals, SFD_CLOEXEC);
  CHECK(fd >= 0);
  reader = start(take, &fd);
  const pthread_t sender = start(send_later, NULL);
  finish(reader);
  finish(sender);
  reader = pthread_self();
  const pthread_t second = start(send_later, NULL);
  take(&fd);
  finish(second);
  return 0;
}
