// SPDX-License-Identifier: Apache-2.0
// Each of 500 detached threads makes the next and ends without waiting for it.

#include "support.h"

static sem_t finished;

static void* hand_on(void* left) {
  int* number = left;
  if (--*number == 0) {
    OK(sem_post(&finished));
    return NULL;
  }
  pthread_t next = start(hand_on, number);
  OK(pthread_detach(next));
  return NULL;
}

int main(void) {
  static int left = 500;
  OK(sem_init(&finished, 0, 0));
  OK(pthread_detach(start(hand_on, &left)));
  OK(sem_wait(&finished));
  say("left: %d\n", left);
  return 0;
}
