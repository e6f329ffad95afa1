// SPDX-License-Identifier: Apache-2.0
// pthread_join is a cancellation point; the thread that was waited for can still be joined.

#include "support.h"

#include "cancelling.h"

static sem_t may_end;
static pthread_t awaited;

static void* live_on(void* argument) {
  while (sem_wait(&may_end) != 0) {
  }
  return argument;
}
static void in_join(void) {
  CHECK(pthread_join(awaited, NULL) == 99);
}

int main(void) {
  OK(sem_init(&may_end, 0, 0));
  awaited = start(live_on, &may_end);
  cancel_in("pthread_join", in_join);
  OK(sem_post(&may_end));
  say("joined: %d\n", join(awaited) == &may_end);
  return 0;
}
