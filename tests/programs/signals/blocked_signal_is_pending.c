// SPDX-License-Identifier: Apache-2.0
// A signal sent to a thread that blocks it is pending for that thread alone, and delivered once
// unblocked.

#include "support.h"

static _Thread_local volatile sig_atomic_t handled;

static void handle(int number) {
  (void)number;
  ++handled;
}
static int is_pending(void) {
  sigset_t set;
  OK(sigpending(&set));
  return sigismember(&set, SIGUSR1);
}

static pthread_barrier_t sent;

static void* block(void* argument) {
  sigset_t set = only(SIGUSR1);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  pthread_barrier_wait(&sent);
  pthread_barrier_wait(&sent);
  say("thread: pending %d, handled %d\n", is_pending(), (int)handled);
  sleep_ms(2);
  OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
  say("thread: pending %d, handled %d\n", is_pending(), (int)handled);
  return argument;
}

int main(void) {
  OK(pthread_barrier_init(&sent, NULL, 2));
  on_signal(SIGUSR1, handle, 0);
  pthread_t thread = start(block, NULL);
  pthread_barrier_wait(&sent);
  OK(pthread_kill(thread, SIGUSR1));
  OK(pthread_kill(thread, SIGUSR1));
  say("main: pending %d\n", is_pending());
  pthread_barrier_wait(&sent);
  join(thread);
  say("main: handled %d\n", (int)handled);
  return 0;
}
