// SPDX-License-Identifier: Apache-2.0
// Threads that spin with sched_yield see the flag that a thread created after them sets.
#include "../io_support.h"

enum { SPINNERS = 8 };
static atomic_int round_number, arrived;

static void* spin(void* unused) {
  (void)unused;
  for (int round = 1; round <= 20; ++round) {
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&round_number) < round) sched_yield();
  }
  return NULL;
}

static void* set_flags(void* unused) {
  (void)unused;
  for (int round = 1; round <= 20; ++round) {
    while (atomic_load(&arrived) < round * SPINNERS) sched_yield();
    atomic_store(&round_number, round);
  }
  return NULL;
}

int main(void) {
  pthread_t spinners[SPINNERS];
  for (int i = 0; i < SPINNERS; ++i) spinners[i] = start(spin, NULL);
  let_it_block();
  finish(start(set_flags, NULL));
  for (int i = 0; i < SPINNERS; ++i) finish(spinners[i]);
  printf("%d rounds\n", atomic_load(&round_number));
  return 0;
}
