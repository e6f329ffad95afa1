// SPDX-License-Identifier: Apache-2.0
// Two thousand detached threads all run, and their resources are given back.

#include "support.h"

#include <stdatomic.h>

static atomic_int running, ran;

static void* count_one(void* argument) {
  atomic_fetch_add(&ran, 1);
  atomic_fetch_sub(&running, 1);
  return argument;
}

int main(void) {
  pthread_attr_t attributes;
  OK(pthread_attr_init(&attributes));
  OK(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED));
  for (int i = 0; i < 2000; ++i) {
    WAIT_FOR(atomic_load(&running) < 50);
    atomic_fetch_add(&running, 1);
    pthread_t thread;
    OK(pthread_create(&thread, &attributes, count_one, NULL));
  }
  WAIT_FOR(atomic_load(&running) == 0);
  say("ran: %d\n", atomic_load(&ran));
  return 0;
}
