// SPDX-License-Identifier: Apache-2.0
// _Thread_local data has its initial value in each thread, keeps address and value across waits,
// and differs.

#include "support.h"

#include <stdint.h>

enum { count = 16 };
static _Thread_local int number = 41;
static _Thread_local char zeroed[1000];
static int* addresses[count];
static pthread_barrier_t together;

static void* use(void* index) {
  intptr_t mine = (intptr_t)index;
  int* address = &number;
  CHECK(number == 41 && zeroed[999] == 0);
  number += (int)mine;
  zeroed[999] = (char)mine;
  addresses[mine] = address;
  for (int round = 0; round < 10; ++round) {
    sleep_ms(1);
    CHECK(address == &number && number == 41 + mine && zeroed[999] == (char)mine);
  }
  pthread_barrier_wait(&together);
  for (int i = 0; i < count; ++i) CHECK(i == mine || addresses[i] != address);
  pthread_barrier_wait(&together);
  return NULL;
}

int main(void) {
  OK(pthread_barrier_init(&together, NULL, count));
  pthread_t threads[count];
  for (intptr_t i = 0; i < count; ++i) threads[i] = start(use, (void*)i);
  for (int i = 0; i < count; ++i) join(threads[i]);
  say("main's: %d\n", number);
  return 0;
}
