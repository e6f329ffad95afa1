// SPDX-License-Identifier: Apache-2.0
// Large arrays and alloca on a thread's stack keep their content across waits in which others run.

#include "support.h"

#include <alloca.h>
#include <stdint.h>

static void* fill(void* index) {
  unsigned char mine = (unsigned char)(intptr_t)index;
  unsigned char array[200000];
  memset(array, mine, sizeof array);
  for (int round = 1; round < 8; ++round) {
    size_t size = (size_t)round * 20000;
    unsigned char* more = alloca(size);
    memset(more, mine + round, size);
    sleep_ms(1);
    for (size_t i = 0; i < size; ++i) CHECK(more[i] == (unsigned char)(mine + round));
  }
  for (size_t i = 0; i < sizeof array; ++i) CHECK(array[i] == mine);
  return NULL;
}

int main(void) {
  pthread_t threads[12];
  for (intptr_t i = 0; i < 12; ++i) threads[i] = start(fill, (void*)(i * 9));
  for (int i = 0; i < 12; ++i) join(threads[i]);
  say("nothing overwritten\n");
  return 0;
}
