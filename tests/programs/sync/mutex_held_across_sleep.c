// SPDX-License-Identifier: Apache-2.0
// A mutex whose holder sleeps is passed on to each waiter in turn, and none meets another inside.

#include "support.h"

#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int inside;
static int visits;

static void* visit(void* argument) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    CHECK(atomic_fetch_add(&inside, 1) == 0);
    sleep_ms(2);
    ++visits;
    CHECK(atomic_fetch_sub(&inside, 1) == 1);
    pthread_mutex_unlock(&lock);
  }
  return argument;
}

int main(void) {
  pthread_t threads[10];
  for (int i = 0; i < 10; ++i) threads[i] = start(visit, NULL);
  for (int i = 0; i < 10; ++i) join(threads[i]);
  say("visits: %d\n", visits);
  return 0;
}
