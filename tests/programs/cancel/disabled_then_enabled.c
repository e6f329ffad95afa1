// SPDX-License-Identifier: Apache-2.0
// A cancellation that arrives while disabled waits through sleeps and reads, and acts once
// enabled.

#include "support.h"

static int ends[2];
static sem_t disabled, cancelled;

static void* resist(void* argument) {
  int old;
  char byte = 0;
  OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
  CHECK(old == PTHREAD_CANCEL_ENABLE);
  OK(sem_post(&disabled));
  OK(sem_wait(&cancelled));
  sleep_ms(5);
  pthread_testcancel();
  CHECK(read(ends[0], &byte, 1) == 1);
  say("still alive, read %c\n", byte);
  OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
  CHECK(old == PTHREAD_CANCEL_DISABLE);
  pthread_testcancel();
  say("never printed\n");
  return argument;
}

int main(void) {
  OK(pipe(ends));
  OK(sem_init(&disabled, 0, 0));
  OK(sem_init(&cancelled, 0, 0));
  pthread_t thread = start(resist, NULL);
  OK(sem_wait(&disabled));
  OK(pthread_cancel(thread));
  OK(sem_post(&cancelled));
  sleep_ms(20);
  CHECK(write(ends[1], "x", 1) == 1);
  say("cancelled: %d\n", join(thread) == PTHREAD_CANCELED);
  return 0;
}
