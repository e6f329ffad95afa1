// SPDX-License-Identifier: Apache-2.0
// A call that fails after it has waited leaves its error in the errno of the thread that made it.

#include "support.h"

#include <stdint.h>

static sem_t nothing;

static void* fail(void* number) {
  char byte;
  for (int round = 0; round < 10; ++round) {
    struct timespec until = after_ms(CLOCK_REALTIME, 2);
    if ((intptr_t)number % 2 == 0) {
      CHECK(sem_timedwait(&nothing, &until) == -1 && errno == ETIMEDOUT);
    } else {
      sleep_ms(2);
      CHECK(read(-1, &byte, 1) == -1 && errno == EBADF);
    }
  }
  return NULL;
}

int main(void) {
  OK(sem_init(&nothing, 0, 0));
  pthread_t threads[10];
  for (intptr_t i = 0; i < 10; ++i) threads[i] = start(fail, (void*)i);
  for (int i = 0; i < 10; ++i) join(threads[i]);
  say("each its own error\n");
  return 0;
}
