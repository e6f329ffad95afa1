// SPDX-License-Identifier: Apache-2.0
// A thread that yields in a loop until another has acted does not keep that one from acting.

#include "support.h"

#include <sched.h>
#include <stdatomic.h>

static atomic_int turn;

static void* play(void* argument) {
  int mine = argument != NULL;
  for (int round = 0; round < 500; ++round) {
    while (atomic_load(&turn) % 2 != mine) sched_yield();
    atomic_fetch_add(&turn, 1);
  }
  return NULL;
}

int main(void) {
  pthread_t even = start(play, NULL), odd = start(play, &turn);
  join(even);
  join(odd);
  say("turns: %d\n", atomic_load(&turn));
  return 0;
}
