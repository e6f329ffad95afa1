// SPDX-License-Identifier: Apache-2.0
// A process of many waiting threads that is sent SIGTERM ends by it.
// exits: SIGTERM

#include "support.h"

static pthread_barrier_t begun;

static void* idle(void* argument) {
  pthread_barrier_wait(&begun);
  for (;;) pause();
  return argument;
}

int main(void) {
  OK(pthread_barrier_init(&begun, NULL, 11));
  for (int i = 0; i < 10; ++i) start(idle, NULL);
  pthread_barrier_wait(&begun);
  say("about to end\n");
  OK(kill(getpid(), SIGTERM));
  for (;;) pause();
}
