// SPDX-License-Identifier: Apache-2.0
// Eight threads that each make and join 100 threads at the same time lose none.

#include "support.h"

#include <stdatomic.h>

static atomic_int ran;

static void* leaf(void* argument) {
  atomic_fetch_add(&ran, 1);
  return argument;
}

static void* create(void* argument) {
  for (int round = 0; round < 10; ++round) {
    pthread_t threads[10];
    for (int i = 0; i < 10; ++i) threads[i] = start(leaf, NULL);
    for (int i = 0; i < 10; ++i) join(threads[i]);
  }
  return argument;
}

int main(void) {
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) threads[i] = start(create, NULL);
  for (int i = 0; i < 8; ++i) join(threads[i]);
  say("ran: %d\n", atomic_load(&ran));
  return 0;
}
