// SPDX-License-Identifier: Apache-2.0
// A pthread_once whose function is cancelled counts as never called: the next caller runs it.

#include "support.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t inside;
static int begun, finished;

static void run(void) {
  if (++begun == 1) {
    OK(sem_post(&inside));
    for (;;) sleep(1000);
  }
  finished = 1;
}
static void* call(void* argument) {
  OK(pthread_once(&once, run));
  return argument;
}

int main(void) {
  OK(sem_init(&inside, 0, 0));
  pthread_t first = start(call, NULL);
  OK(sem_wait(&inside));
  pthread_t second = start(call, NULL);
  sleep_ms(10);
  OK(pthread_cancel(first));
  say("first cancelled: %d\n", join(first) == PTHREAD_CANCELED);
  join(second);
  say("begun: %d, finished: %d\n", begun, finished);
  return 0;
}
