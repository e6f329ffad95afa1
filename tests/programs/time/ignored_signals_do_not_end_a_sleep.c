// SPDX-License-Identifier: Apache-2.0
// Signals that are ignored or blocked leave a sleeping thread asleep until its time is up.
#include "../io_support.h"

static atomic_bool sent;

static void* sleep_undisturbed(void* unused) {
  (void)unused;
  const int64_t began = now_ns();
  const struct timespec time = timespec_of_ns(60 * MILLISECOND_NS);
  show("nanosleep", nanosleep(&time, NULL));
  CHECK(now_ns() - began >= 60 * MILLISECOND_NS);
  while (!atomic_load(&sent)) sleep_ms(1);
  sigset_t pending;
  CHECK(sigpending(&pending) == 0);
  printf("pending %d\n", sigismember(&pending, SIGUSR2));
  return NULL;
}

int main(void) {
  signal(SIGUSR1, SIG_IGN);
  handle_signal(SIGUSR2, ignore_signal, 0);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  CHECK(pthread_sigmask(SIG_BLOCK, &blocked, NULL) == 0);
  const pthread_t sleeper = start(sleep_undisturbed, NULL);
  sleep_ms(15);
  for (int i = 0; i < 5; ++i) CHECK(pthread_kill(sleeper, SIGUSR1) == 0);
  sleep_ms(5);
  CHECK(pthread_kill(sleeper, SIGUSR2) == 0);
  atomic_store(&sent, true);
  finish(sleeper);
  return 0;
}
